import type { Conversation, ConversationEvent, ResponseGap, Turn } from '@patchbay/contract/conversations'
import { findClockDifference } from './agent-clock.ts'
import { agentEventSource } from './agent-event-source.ts'
import type { AgentEvent } from './agent-events.ts'
import { isWholeResponse, type Latency } from './agent-reports.ts'
import { type AgentUtterance, assembleUtterances } from './agent-utterances.ts'
import { mergeToolCalls, toErrorEvent } from './merge-tool-calls.ts'
import { type PlatformTurn, sortTurns, withoutSpan } from './platform-utterances.ts'
import { findLastBefore, type GapStep, type Interval } from './response-gap.ts'
import { type ComparableText, getSimilarity, toComparable } from './similar-text.ts'
import { type PlacedTimes, placeUtterances } from './utterance-times.ts'

/** Merges the events of an agent with what the platform reports. Pure. */

/** The report of an agent about a turn. */
export interface AgentReport {
  latency: Latency
  tokens: Turn['tokens']
  model: string | null
  interruptedAt: number | undefined
  /** Whether the text of the turn is the one that was spoken until the interruption. */
  isSpokenText: boolean
  /** Whether the report says how long the caller has waited for the turn. */
  hasWait: boolean
}

/** A turn of a trace, or of agent events, or of both. */
export interface MergedTurn extends PlatformTurn {
  report?: AgentReport
}

/** Farther events are errors of a clock that cannot be corrected. */
const maxDistanceMs = 24 * 3_600_000

/** Reports of the same utterance differ by the delivery of events, and by the end of audio that is not measured. */
const toleranceMs = 5000
const minSimilarity = 0.6
/** Turns of a speaker within the tolerance. More are compared for hostile traces only. */
const maxCandidates = 8

/** Exceeds the turns of a conversation by one, so that the conversation is marked as cut. */
export const maxUtterances = 2001

/** Moves the times of utterances. Mutates them, because they refer to each other. */
const shiftUtterances = (utterances: readonly AgentUtterance[], shiftMs: number): void => {
  for (const utterance of utterances)
    for (const name of ['start', 'responseStart', 'end', 'reported', 'interruptedAt'] as const) {
      const time = utterance[name]
      if (time !== undefined) utterance[name] = time - shiftMs
    }
}

interface TurnIndex {
  turns: readonly PlatformTurn[]
  /** The text of each turn that no report has contained yet. */
  comparable: Map<PlatformTurn, ComparableText>
  /** The turns with a report that did not need their text. */
  reported: Set<PlatformTurn>
}

const indexTurns = (turns: readonly PlatformTurn[], speaker: Turn['speaker']): TurnIndex => {
  const own = turns.filter((turn) => turn.speaker === speaker).toSorted((a, b) => a.start_ms - b.start_ms)
  return { turns: own, comparable: new Map(own.map((turn) => [turn, toComparable(turn.text)])), reported: new Set() }
}

/** Reports of the same utterance have ends that differ by at most this, if a text is missing. */
const maxEndDifferenceMs = 1500

/** Returns the similarity of an utterance and a turn. Without the text of one of them, that of their times decides. */
const compare = (
  utterance: AgentUtterance,
  text: ComparableText,
  turn: PlatformTurn,
  { comparable, reported }: TurnIndex,
  distance: number,
): number => {
  if (utterance.text !== '' && turn.text !== '') return getSimilarity(text, comparable.get(turn) ?? text)
  return distance <= maxEndDifferenceMs && !reported.has(turn) ? minSimilarity : 0
}

/** Notes what a report contains, so that the same words that are said again are not taken for it. */
const noteReport = ({ comparable, reported }: TurnIndex, turn: PlatformTurn, text: ComparableText): void => {
  reported.add(turn)
  const { normalized = '' } = comparable.get(turn) ?? {}
  comparable.set(
    turn,
    toComparable(normalized.includes(text.normalized) ? normalized.replace(text.normalized, ' ') : ''),
  )
}

/** Returns the turn of the trace that is the same utterance. */
const findSame = (utterance: AgentUtterance, index: TurnIndex, placed: PlacedTimes) => {
  const { turns } = index
  const text = toComparable(utterance.text)
  const from = Math.min(placed.start_ms, placed.end_ms, utterance.reported ?? Infinity) - toleranceMs
  const until = Math.max(placed.end_ms, utterance.reported ?? -Infinity) + toleranceMs
  let best: { turn: PlatformTurn; similarity: number; distance: number } | undefined
  for (const turn of findLastBefore(turns, ({ start_ms }) => start_ms, until + 1).slice(-maxCandidates)) {
    if (Math.max(turn.end_ms, turn.transcript_ms) < from) continue
    const distance = Math.abs(turn.end_ms - placed.end_ms)
    const similarity = compare(utterance, text, turn, index, distance)
    const isBetter =
      best === undefined || similarity > best.similarity || (similarity === best.similarity && distance < best.distance)
    if (similarity >= minSimilarity && isBetter) best = { turn, similarity, distance }
  }
  if (best !== undefined) noteReport(index, best.turn, text)
  return best?.turn
}

const toReport = ({ latency, request, tokens, model, interruptedAt, isSpokenText }: AgentUtterance): AgentReport => ({
  hasWait: request !== undefined && isWholeResponse(latency),
  latency,
  tokens,
  model,
  interruptedAt,
  isSpokenText,
})

/** Returns the end of the caller's speech if only the agent knows how long the recognition took. */
const findEnd = (turn: PlatformTurn, { reported }: AgentUtterance, placed: PlacedTimes): Partial<PlacedTimes> => {
  const isKnown = turn.speaker === 'agent' || turn.end_evidence !== 'unknown'
  if (isKnown || placed.end_evidence !== 'derived' || reported === undefined) return {}
  const end_ms = turn.transcript_ms - (reported - placed.end_ms)
  return { end_ms: Math.max(turn.start_ms, end_ms), end_evidence: 'derived' }
}

/** Returns what only the span of a framework says. */
const findMissing = (
  { confidence, vendor, language, voice }: PlatformTurn,
  { members }: AgentUtterance,
): Partial<PlatformTurn> =>
  members === undefined
    ? {}
    : {
        confidence: confidence ?? members.confidence,
        vendor: vendor ?? members.vendor,
        language: language ?? members.language,
        voice: voice ?? members.voice,
      }

/**
 * The trace says when, and the agent why. After an interruption, the agent knows what was really spoken, and it knows its own
 * words better than a recognition.
 */
const addReport = (
  { isRecognized, ...turn }: MergedTurn,
  utterance: AgentUtterance,
  placed: PlacedTimes,
): MergedTurn => {
  const isTrimmed = utterance.interruptedAt !== undefined && utterance.text !== ''
  const isBetter = turn.text === '' || isTrimmed || (isRecognized === true && utterance.text !== '')
  const text = isBetter ? utterance.text : turn.text
  if (turn.report === undefined)
    return {
      ...turn,
      ...findMissing(turn, utterance),
      ...findEnd(turn, utterance, placed),
      // A recognition does not know when the agent began to speak.
      ...(isRecognized === true && placed.start_evidence !== 'unknown' ? placed : {}),
      text,
      report: toReport(utterance),
    }
  // If a turn has several reports, the first one has the latency, and the last one the interruption.
  return {
    ...turn,
    text,
    report: {
      ...turn.report,
      interruptedAt: turn.report.interruptedAt ?? utterance.interruptedAt,
      isSpokenText: isTrimmed ? utterance.isSpokenText : turn.report.isSpokenText,
    },
  }
}

const toTurn = (utterance: AgentUtterance, placed: PlacedTimes): MergedTurn => ({
  ...withoutSpan,
  ...placed,
  speaker: utterance.speaker,
  text: utterance.text,
  transcript_ms: Math.max(placed.end_ms, utterance.reported ?? placed.end_ms),
  report: toReport(utterance),
  ...utterance.members,
})

const isNear = ({ start, responseStart, end, reported, interruptedAt }: AgentUtterance): boolean =>
  [start, responseStart, end, reported, interruptedAt].every((time = 0) => Math.abs(time) <= maxDistanceMs)

const mergeTurns = (turns: readonly MergedTurn[], utterances: readonly AgentUtterance[]): MergedTurn[] => {
  const index = { caller: indexTurns(turns, 'caller'), agent: indexTurns(turns, 'agent') }
  const times = placeUtterances(utterances)
  const enriched = new Map<MergedTurn, MergedTurn>()
  const added: MergedTurn[] = []
  for (const [utterance, placed] of times) {
    const same = findSame(utterance, index[utterance.speaker], placed)
    if (same === undefined) added.push(toTurn(utterance, placed))
    else enriched.set(same, addReport(enriched.get(same) ?? same, utterance, placed))
  }
  return sortTurns([...turns.map((turn) => enriched.get(turn) ?? turn), ...added])
}

/**
 * Merges utterances with turns. Mutates the times of the utterances.
 * @param difference by how many milliseconds the clock of the utterances is ahead
 */
export const mergeUtterances = (
  turns: readonly MergedTurn[],
  utterances: readonly AgentUtterance[],
  difference: number,
): readonly MergedTurn[] => {
  shiftUtterances(utterances, difference)
  const near = utterances.filter(isNear)
  return near.length === 0 ? turns : mergeTurns(turns, near)
}

const isNearEvent = ({ at_ms }: { at_ms: number }): boolean => Math.abs(at_ms) <= maxDistanceMs

interface Merged {
  turns: readonly MergedTurn[]
  events: readonly ConversationEvent[]
  /** Empty if the agent events contain nothing about the conversation. */
  sources: Conversation['sources']
}

/**
 * Merges agent events with the turns and events of a trace. What both have is one turn: with the times of the trace, and
 * with the latency and the tokens of the agent.
 * @param times the start of the call in milliseconds since the Unix epoch, and its end in milliseconds since its start
 */
export const mergeAgentEvents = (
  turns: readonly MergedTurn[],
  events: readonly ConversationEvent[],
  agentEvents: readonly AgentEvent[],
  { startedAt, callEnd }: { startedAt: number; callEnd: number },
): Merged => {
  const { utterances: all, toolCalls, errors } = assembleUtterances(agentEvents)
  const utterances = all.slice(0, maxUtterances)
  shiftUtterances(utterances, startedAt)
  const difference = findClockDifference(utterances, turns, callEnd)
  shiftUtterances(utterances, difference ?? 0)
  const near = utterances.filter(isNear)
  const toMs = (at: number) => at - startedAt - (difference ?? 0)
  const nearCalls = toolCalls.map(({ at, tool }) => ({ ...tool, at_ms: toMs(at) })).filter(isNearEvent)
  const nearErrors = errors.map(({ at, message }) => toErrorEvent(toMs(at), message)).filter(isNearEvent)
  if (near.length + nearCalls.length + nearErrors.length === 0) return { turns, events, sources: [] }
  return {
    turns: mergeTurns(turns, near),
    events: [...mergeToolCalls(events, nearCalls), ...nearErrors].toSorted((a, b) => a.at_ms - b.at_ms),
    sources: [{ service: agentEventSource, clock_difference_ms: difference }],
  }
}

const recognitionKinds = new Set<GapStep['kind']>(['speech_to_text', 'endpointing'])

/**
 * Returns the steps of a gap: those that the agent reports, one after another, and the other ones of the trace. Steps
 * after the recognition begin when the trace says that it was complete, if the agent does not report it.
 */
export const addLatencySteps = (
  steps: readonly GapStep[],
  latency: Latency,
  gap: Interval,
  startsAt: ResponseGap['starts_at'],
): readonly GapStep[] => {
  // A gap that starts with the transcript does not contain the recognition.
  const reported = latency.filter(({ kind }) => startsAt === 'end_of_speech' || kind !== 'speech_to_text')
  const others = steps.filter((step) => !reported.some(({ kind }) => kind === step.kind))
  const recognized = others.flatMap(({ kind, interval }) =>
    interval !== undefined && recognitionKinds.has(kind) ? [interval.end] : [],
  )
  const recognizedAt = recognized.reduce((latest, end) => Math.max(latest, end), gap.start)
  let { start } = gap
  const own = reported.map(({ kind, durationMs }): GapStep => {
    if (!recognitionKinds.has(kind)) start = Math.max(start, recognizedAt)
    const interval = { start, end: start + durationMs }
    start = interval.end
    return { kind, evidence: 'measured', interval, source: agentEventSource, span_id: null }
  })
  return [...others, ...own]
}
