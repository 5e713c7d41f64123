import type { BusyRange, ConversationEvent, Turn } from '@patchbay/contract/conversations'
import type { Span } from '../traces/traces.ts'
import { type Interval, subtract } from './response-gap.ts'

/**
 * Finds the states of the platform that decide which findings apply: it connects the caller with another party, keeps
 * the caller in a queue or a conference, plays audio, pauses because the application says so, or another program speaks
 * with the caller and does not report it. Pure.
 */

const reasonsByVerb: ReadonlyMap<string, BusyRange['reason']> = new Map([
  ['dial', 'transfer'],
  ['rest:dial', 'transfer'],
  ['sip:refer', 'transfer'],
  ['conference', 'conference'],
  ['enqueue', 'queue'],
  ['dequeue', 'queue'],
  ['play', 'playback'],
  ['dtmf', 'playback'],
  ['pause', 'pause'],
])

/** The verb of a span, such as `verb:dial{…}`, `nested:play{…}` inside of a gather, or `whisper:play{…}` during a dial. */
const verb = /^(?:verb|nested|whisper):([\w:-]+?)(?:\{|$)/

const getVerb = ({ name }: Span): string => verb.exec(name)?.[1] ?? ''

const getReason = (span: Span): BusyRange['reason'] | undefined =>
  span.name === 'send-refer' ? 'transfer' : reasonsByVerb.get(getVerb(span))

/** Verbs that give the caller's audio to another program, which can respond without a span of the platform. */
const unreportedVerb = /^(?:listen|stream|llm|agent|dialogflow|lex|cognigy|(?:\w+_)?s2s)$/i

/** A synthesis whose text arrives in parts, during a verb or for the whole call. */
const streamingSay = /^(?:verb|background-ttsStream):say streaming/

const isUnreported = (span: Span): boolean => unreportedVerb.test(getVerb(span)) || streamingSay.test(span.name)

/** A call has a few. More are ignored, so that a hostile trace costs a bounded time. */
const maxRanges = 200

type ToMilliseconds = (at: bigint) => number

const toRanges = (
  spans: readonly Span[],
  toMs: ToMilliseconds,
  findReason: (span: Span) => BusyRange['reason'] | undefined,
): BusyRange[] =>
  spans
    .flatMap((span): BusyRange[] => {
      const reason = findReason(span)
      return reason === undefined ? [] : [{ reason, start_ms: toMs(span.start), end_ms: toMs(span.end) }]
    })
    .filter(({ start_ms, end_ms }) => end_ms > start_ms)
    .toSorted((a, b) => a.start_ms - b.start_ms)
    .slice(0, maxRanges)

/**
 * Returns the ranges in which the platform is busy with the caller, in the order of their beginning.
 * @param toMs converts nanoseconds since the Unix epoch to milliseconds since the start of the call
 */
export const findBusyRanges = (spans: readonly Span[], toMs: ToMilliseconds): BusyRange[] =>
  toRanges(spans, toMs, getReason)

interface StateTurn extends Pick<Turn, 'speaker' | 'start_ms' | 'start_evidence'> {
  /** Set if the agent itself reports the turn. */
  report?: unknown
}

const isIn = ({ start_ms, end_ms }: BusyRange, turn: StateTurn): boolean =>
  turn.start_ms >= start_ms && turn.start_ms < end_ms

/** Returns the ranges in which another program speaks with the caller, and no source contains a turn of the agent. */
const findUnreportedRanges = (spans: readonly Span[], turns: readonly StateTurn[], toMs: ToMilliseconds): BusyRange[] =>
  toRanges(spans, toMs, (span) => (isUnreported(span) ? 'unreported' : undefined)).filter(
    (range) => !turns.some((turn) => isIn(range, turn)),
  )

/** The states in which the caller speaks with another party, and not with the agent. */
const otherParty: readonly BusyRange['reason'][] = ['transfer', 'queue', 'conference']

const everyState: readonly BusyRange['reason'][] = [...otherParty, 'playback', 'pause', 'unreported']

/** The states in which a finding does not apply, because they explain it, or because it is about another party. */
const excludedStates = {
  silence: everyState,
  response_gap: everyState,
  interruption: otherParty,
  no_input: otherParty,
  agent_turn: otherParty,
} as const

/**
 * Returns the states in the order of their beginning. A party with which the platform connects the caller is the agent if it
 * reports its turns, so there is no state then.
 * @param turns the turns of all sources
 */
export const findStates = (
  spans: readonly Span[],
  { turns, isRecorded }: { turns: readonly StateTurn[]; isRecorded: boolean },
  toMs: ToMilliseconds,
): BusyRange[] => {
  const ofAgent = turns.filter(({ speaker }) => speaker === 'agent')
  const reported = ofAgent.filter(({ report, start_evidence }) => report !== undefined && start_evidence !== 'unknown')
  const ranges = findBusyRanges(spans, toMs).filter(
    (range) => !otherParty.includes(range.reason) || !reported.some((turn) => isIn(range, turn)),
  )
  // A recording contains the speech of every program.
  const unreported = isRecorded ? [] : findUnreportedRanges(spans, ofAgent, toMs)
  return [...ranges, ...unreported].toSorted((a, b) => a.start_ms - b.start_ms)
}

/** Returns whether a finding does not apply, because of the state of the platform in a part of an interval. */
export const isExcluded = (
  finding: keyof typeof excludedStates,
  ranges: readonly BusyRange[],
  { start, end }: Interval,
): boolean =>
  ranges.some(
    ({ reason, start_ms, end_ms }) =>
      excludedStates[finding].includes(reason) && start_ms < Math.max(end, start + 1) && end_ms > start,
  )

/** Returns when the caller pressed digits. */
export const findDigits = (events: readonly ConversationEvent[]): Interval[] =>
  events
    .filter(({ kind }) => kind === 'dtmf')
    .map(({ at_ms, duration_ms }) => ({ start: at_ms, end: at_ms + duration_ms }))

/** Returns the parts of an interval in which no state explains a silence, and the caller presses no digit. */
export const findUnexplainedParts = (
  ranges: readonly BusyRange[],
  digits: readonly Interval[],
  interval: Interval,
): Interval[] => {
  const busy = ranges
    .filter(({ reason }) => excludedStates.silence.includes(reason))
    .map(({ start_ms, end_ms }) => ({ start: start_ms, end: end_ms }))
  return subtract(
    interval,
    [...busy, ...digits].toSorted((a, b) => a.start - b.start),
  )
}
