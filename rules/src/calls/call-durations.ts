/** Minimum durations in seconds for which calls are counted in advance, so that filtering by them is fast. */
export const countedDurations = [1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600] as const

/** Returns the largest counted minimum that a duration in seconds reaches, or 0. */
export const toDurationClass = (seconds: number): number =>
  countedDurations.findLast((minimum) => seconds >= minimum) ?? 0

/** Returns whether calls of at least this many seconds are counted. */
const isCounted = (seconds: number): boolean => toDurationClass(seconds) === seconds

/** Returns whether the counts cover a filter by duration in seconds. `max_duration` is inclusive. */
export const areDurationsCounted = ({
  min_duration = 0,
  max_duration,
}: {
  min_duration?: number
  max_duration?: number
}): boolean => isCounted(min_duration) && (max_duration === undefined || isCounted(max_duration + 1))
