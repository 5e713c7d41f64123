import type { GapPart, ResponseGap } from '@patchbay/contract/conversations'
import { gapPartKinds } from '@patchbay/contract/conversations/figures'

/** Splits the wait of a caller into its parts. Pure. Times are whole milliseconds since the start of the call. */

export interface Interval {
  start: number
  end: number
}

/** A step of the pipeline. Without an interval, it took place, but its duration is unknown. */
export interface GapStep {
  kind: Exclude<GapPart['kind'], 'unattributed'>
  evidence: GapPart['evidence']
  interval: Interval | undefined
  source: string | null
  span_id: string | null
}

/** A gap has a few steps. More are left unattributed, which bounds the work for hostile traces. */
const maxStepsPerGap = 20

/**
 * Returns the last items before an instant, at most 20, in logarithmic time.
 * @param items sorted by `getTime`
 */
export const findLastBefore = <T>(items: readonly T[], getTime: (item: T) => number, instant: number): readonly T[] => {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const item = items[middle]
    if (item !== undefined && getTime(item) < instant) low = middle + 1
    else high = middle
  }
  return items.slice(Math.max(0, low - maxStepsPerGap), low)
}

/** Returns the parts of an interval that none of the others covers. They are sorted by their start. */
export const subtract = (interval: Interval, covered: readonly Interval[]): Interval[] => {
  const rest: Interval[] = []
  let { start } = interval
  for (const one of covered) {
    if (one.end <= start || one.start >= interval.end) continue
    if (one.start > start) rest.push({ start, end: one.start })
    start = Math.max(start, one.end)
  }
  return start < interval.end ? [...rest, { start, end: interval.end }] : rest
}

const length = (intervals: readonly Interval[]): number =>
  intervals.reduce((sum, { start, end }) => sum + end - start, 0)

/** The request to the application contains the steps that the application itself makes, so it gets what they leave. */
const attributionOrder = [...gapPartKinds.filter((kind) => kind !== 'application'), 'application'] as const

/**
 * Returns the gap from the end of a caller's speech to the audio of the agent. Each instant belongs to one part: to the
 * step that comes first in the pipeline, because later steps wait for it. So the durations add up to the gap, even if
 * steps overlap it or each other.
 */
export const splitGap = (
  { start, end }: Interval,
  starts_at: ResponseGap['starts_at'],
  steps: readonly GapStep[],
): ResponseGap => {
  const covered: Interval[] = []
  const parts: GapPart[] = []
  for (const kind of attributionOrder)
    for (const { evidence, interval, source, span_id, ...step } of steps) {
      if (step.kind !== kind) continue
      const inGap = interval && { start: Math.max(start, interval.start), end: Math.min(end, interval.end) }
      const own = inGap === undefined || inGap.end <= inGap.start ? [] : subtract(inGap, covered)
      covered.push(...own)
      covered.sort((a, b) => a.start - b.start)
      parts.push({ kind, duration_ms: interval === undefined ? null : length(own), evidence, source, span_id })
    }
  const duration_ms = end - start
  const rest: GapPart = {
    kind: 'unattributed',
    duration_ms: duration_ms - length(covered),
    evidence: 'derived',
    source: null,
    span_id: null,
  }
  const inOrder = parts.toSorted((a, b) => gapPartKinds.indexOf(a.kind) - gapPartKinds.indexOf(b.kind))
  return { start_ms: start, duration_ms, starts_at, parts: [...inOrder, rest] }
}
