import type { BusyRange } from '../conversations.ts'
import type { Span } from '../shared/traces.ts'
import { type Interval, subtract } from './response-gap.ts'

/**
 * Finds when the platform is busy with the caller outside of the conversation: it connects the caller with another
 * party, keeps the caller in a queue or a conference, plays audio, or pauses because the application says so. Silence and
 * waiting in such a range say nothing about the agent. Pure.
 */

const reasonsByVerb: ReadonlyMap<string, BusyRange['reason']> = new Map([
  ['dial', 'transfer'],
  ['sip:refer', 'transfer'],
  ['conference', 'conference'],
  ['enqueue', 'queue'],
  ['dequeue', 'queue'],
  ['play', 'playback'],
  ['pause', 'pause'],
])

/** The verb of a span that the platform names `verb:dial{…}` or `verb:dial`. */
const verb = /^verb:([\w:-]+?)(?:\{|$)/

const getReason = ({ name }: Span): BusyRange['reason'] | undefined =>
  name === 'send-refer' ? 'transfer' : reasonsByVerb.get(verb.exec(name)?.[1] ?? '')

/** A call has a few. More are ignored, so that a hostile trace costs a bounded time. */
const maxRanges = 200

/**
 * Returns the ranges in the order of their beginning.
 * @param toMs converts nanoseconds since the Unix epoch to milliseconds since the start of the call
 */
export const findBusyRanges = (spans: readonly Span[], toMs: (at: bigint) => number): BusyRange[] =>
  spans
    .flatMap((span): BusyRange[] => {
      const reason = getReason(span)
      return reason === undefined ? [] : [{ reason, start_ms: toMs(span.start), end_ms: toMs(span.end) }]
    })
    .filter(({ start_ms, end_ms }) => end_ms > start_ms)
    .toSorted((a, b) => a.start_ms - b.start_ms)
    .slice(0, maxRanges)

/** Returns whether the platform was busy with the caller in a part of an interval. */
export const isBusy = (ranges: readonly BusyRange[], { start, end }: Interval): boolean =>
  ranges.some(({ start_ms, end_ms }) => start_ms < end && end_ms > start)

/** Returns the parts of an interval in which the platform was not busy with the caller. */
export const withoutBusyRanges = (ranges: readonly BusyRange[], interval: Interval): Interval[] =>
  subtract(
    interval,
    ranges.map(({ start_ms, end_ms }) => ({ start: start_ms, end: end_ms })),
  )
