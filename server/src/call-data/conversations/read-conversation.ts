import type { Conversation } from '@patchbay/contract/conversations'
import { buildConversation } from '@patchbay/contract/conversations/build-conversation'
import type { Call } from '@patchbay/contract/recent-calls'
import { isTraceId, parseSpans } from '@patchbay/contract/shared/traces'
import type { Owners } from '../../auth/owner-lookup.ts'
import type { Calls } from '../calls/calls.ts'
import type { VoiceActivities } from '../recordings/voice-activities.ts'
import { readOwnTrace } from '../traces/read-own-trace.ts'
import type { Traces } from '../traces/traces.ts'

export interface ConversationSources {
  calls: Calls
  traces: Traces
  owners: Owners
  voiceActivities: VoiceActivities
}

export interface FoundConversation {
  /** The first leg of the call. */
  call: Call
  trace_id: string | undefined
  /** Undefined if the call has no data to derive it from. */
  conversation: Conversation | undefined
}

const readSpans = async (sources: ConversationSources, account_sid: string, trace_id: string | undefined) => {
  const trace = trace_id && (await readOwnTrace(sources, { account_sid }, trace_id))
  return trace ? { spans: parseSpans(trace), isTraceCut: trace.is_cut === true } : { spans: [], isTraceCut: false }
}

/** Returns the conversation of a call of an account, or undefined if there is no such call. */
export const readConversation = async (
  sources: ConversationSources,
  account_sid: string,
  call_sid: string,
): Promise<FoundConversation | undefined> => {
  const legs = await sources.calls.find({ account_sid }, { call_sid })
  const call = legs.at(-1)
  if (call === undefined) return undefined
  const trace_id = legs
    .map((leg) => leg.trace_id)
    .find(isTraceId)
    ?.toLowerCase()
  const recording_url = legs.map((leg) => leg.recording_url).find((url) => typeof url === 'string' && url !== '')
  const [spans, recording] = await Promise.all([
    readSpans(sources, account_sid, trace_id),
    recording_url ? sources.voiceActivities.find({ account_sid, call_sid, recording_url }) : undefined,
  ])
  const callStartedAt = Date.parse(call.attempted_at)
  return { call, trace_id, conversation: buildConversation({ ...spans, callStartedAt, recording }) }
}
