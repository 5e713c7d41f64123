import type { Conversation } from '@patchbay/contract/conversations'
import { buildConversation } from '@patchbay/contract/conversations/build-conversation'
import type { Call } from '@patchbay/contract/recent-calls'
import { isTraceId, parseSpans } from '@patchbay/contract/shared/traces'
import type { Owners } from '../../auth/owner-lookup.ts'
import type { AgentEvents } from '../agent-events/agent-events.ts'
import { storeLimits } from '../agent-events/sql-agent-events.ts'
import type { Calls } from '../calls/calls.ts'
import type { VoiceActivities } from '../recordings/voice-activities.ts'
import { readOwnTrace } from '../traces/read-own-trace.ts'
import type { Traces } from '../traces/traces.ts'

export interface ConversationSources {
  calls: Calls
  traces: Traces
  owners: Owners
  voiceActivities: VoiceActivities
  agentEvents: AgentEvents
}

export interface FoundConversation {
  /** A leg of the call. */
  call: Call
  trace_id: string | undefined
  /** Undefined if the call has no data to derive it from. */
  conversation: Conversation | undefined
}

const readSpans = async (sources: ConversationSources, account_sid: string, trace_id: string | undefined) => {
  const trace = trace_id && (await readOwnTrace(sources, { account_sid }, trace_id))
  return trace ? { spans: parseSpans(trace), isTraceCut: trace.is_cut === true } : { spans: [], isTraceCut: false }
}

const toCallTimes = ({ attempted_at, terminated_at }: Call) => ({
  startedAt: Date.parse(attempted_at),
  endedAt: terminated_at === null ? undefined : Date.parse(terminated_at),
})

/** Returns the conversation of a call of an account, or undefined if there is no such call. */
export const readConversation = async (
  sources: ConversationSources,
  account_sid: string,
  call_sid: string,
): Promise<FoundConversation | undefined> => {
  const legs = await sources.calls.find({ account_sid }, { call_sid })
  const [call] = legs
  if (call === undefined) return undefined
  const trace_id = legs
    .map((leg) => leg.trace_id)
    .find(isTraceId)
    ?.toLowerCase()
  const recording_url = legs.map((leg) => leg.recording_url).find((url) => typeof url === 'string' && url !== '')
  const [{ spans, isTraceCut }, agentEvents, recording] = await Promise.all([
    readSpans(sources, account_sid, trace_id),
    sources.agentEvents.read(account_sid, call_sid),
    recording_url ? sources.voiceActivities.find({ account_sid, call_sid, recording_url }) : undefined,
  ])
  const isCut = isTraceCut || agentEvents.length >= storeLimits.events
  const data = { spans, isTraceCut: isCut, agentEvents, call: toCallTimes(call), recording }
  return { call, trace_id, conversation: buildConversation(data) }
}
