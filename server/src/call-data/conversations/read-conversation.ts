import type { Conversation } from '@patchbay/contract/conversations'
import { conversationDirections } from '@patchbay/contract/conversations/figures'
import type { Call } from '@patchbay/contract/recent-calls'
import { buildConversation, type CallTimes } from '@patchbay/rules/conversations/build-conversation'
import { isTraceId, parseSpans } from '@patchbay/rules/traces/traces'
import type { Owners } from '../../auth/owner-lookup.ts'
import type { Configuration } from '../../config/configuration.ts'
import type { AgentEvents } from '../agent-events/agent-events.ts'
import { storeLimits } from '../agent-events/sql-agent-events.ts'
import type { Calls } from '../calls/calls.ts'
import type { Masking } from '../masking/masking.ts'
import type { VoiceActivities, VoiceResult } from '../recordings/voice-activities.ts'
import { readLinkedTraces } from '../traces/linked-traces.ts'
import { readOwnTrace } from '../traces/read-own-trace.ts'
import type { TraceLinks } from '../traces/trace-links.ts'
import type { Traces } from '../traces/traces.ts'

export interface ConversationSources {
  calls: Calls
  traces: Traces
  owners: Owners
  voiceActivities: VoiceActivities
  agentEvents: AgentEvents
  traceLinks: TraceLinks
  masking: Masking
  configuration: Pick<Configuration, 'traceCallAttributes'>
}

export interface FoundConversation {
  /** A leg of the call. */
  call: Call
  trace_id: string | undefined
  /** Undefined if the call has no data to derive it from. */
  conversation: Conversation | undefined
  /** The recording from which the conversation is derived. */
  recording_url: string | undefined
  recording: VoiceResult | undefined
}

/** Reads the trace of the call, and those of other programs that name the call. */
const readSpans = async (
  sources: ConversationSources,
  { call, legs, trace_id }: { call: Call; legs: readonly Call[]; trace_id: string | undefined },
) => {
  const { account_sid } = call
  const legsWithTrace = legs.filter((leg) => leg.trace_id === trace_id)
  const callAttributes = new Set(sources.configuration.traceCallAttributes)
  const [own, linked] = await Promise.all([
    trace_id === undefined ? undefined : readOwnTrace(sources, { account_sid }, trace_id, legsWithTrace),
    readLinkedTraces({ ...sources, callAttributes }, { ...call, trace_id: trace_id ?? null }, legs),
  ])
  return {
    spans: own === undefined ? [] : parseSpans(own),
    linkedSpans: parseSpans(linked),
    isCut: own?.is_cut === true || linked.is_cut === true,
  }
}

const parseTime = (time: string | null): number | undefined => (time === null ? undefined : Date.parse(time))

const toCallTimes = ({ attempted_at, answered_at, terminated_at, direction }: Call): CallTimes => ({
  startedAt: Date.parse(attempted_at),
  answeredAt: parseTime(answered_at),
  endedAt: parseTime(terminated_at),
  direction: conversationDirections.find((one) => one === direction),
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
  const [{ isCut, ...traced }, agentEvents, recording, { patterns }] = await Promise.all([
    readSpans(sources, { call, legs, trace_id }),
    sources.agentEvents.read(account_sid, call_sid),
    recording_url ? sources.voiceActivities.find({ account_sid, call_sid, recording_url }) : undefined,
    sources.masking.findRules({ account_sid }),
  ])
  const maskLabels = patterns.map(({ replacement }) => `[${replacement}]`)
  const isTraceCut = isCut || agentEvents.length >= storeLimits.events
  const data = { ...traced, isTraceCut, agentEvents, call: toCallTimes(call), recording, maskLabels }
  return { call, trace_id, conversation: buildConversation(data), recording_url: recording_url ?? undefined, recording }
}
