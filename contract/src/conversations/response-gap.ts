import { type GapPart, gapPartKinds, type ResponseGap } from '../conversations.ts'

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
  span_id: string | null
}

/** Returns the parts of an interval that no other interval covers. Both are sorted and do not overlap each other. */
const subtract = (interval: Interval, covered: readonly Interval[]): Interval[] => {
  const left: Interval[] = []
  let { start } = interval
  for (const one of covered) {
    if (one.end <= start || one.start >= interval.end) continue
    if (one.start > start) left.push({ start, end: one.start })
    start = Math.max(start, one.end)
  }
  return start < interval.end ? [...left, { start, end: interval.end }] : left
}

const length = (intervals: readonly Interval[]): number =>
  intervals.reduce((sum, { start, end }) => sum + end - start, 0)

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
  for (const kind of gapPartKinds)
    for (const { evidence, interval, span_id, ...step } of steps) {
      if (step.kind !== kind) continue
      const inGap = interval && { start: Math.max(start, interval.start), end: Math.min(end, interval.end) }
      const own = inGap === undefined || inGap.end <= inGap.start ? [] : subtract(inGap, covered)
      covered.push(...own)
      covered.sort((a, b) => a.start - b.start)
      parts.push({ kind, duration_ms: interval === undefined ? null : length(own), evidence, span_id })
    }
  const duration_ms = end - start
  const rest: GapPart = {
    kind: 'unattributed',
    duration_ms: duration_ms - length(covered),
    evidence: 'derived',
    span_id: null,
  }
  return { start_ms: start, duration_ms, starts_at, parts: [...parts, rest] }
}
