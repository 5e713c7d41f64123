/**
 * Counts durations in buckets whose limits grow by 8 %, so that percentiles of any number of durations can be computed from
 * sums, with an error of 4 % at most. Pure.
 */

/** Durations up to this are in bucket 0, where a difference does not matter. */
const firstLimitMs = 10
const growth = 1.08
/** The last bucket contains all durations from 59 minutes on. A gap in a call is shorter. */
export const lastBucket = 167

/** Returns the bucket of a duration. */
export const toBucket = (ms: number): number =>
  ms <= firstLimitMs ? 0 : Math.min(lastBucket, Math.ceil(Math.log(ms / firstLimitMs) / Math.log(growth)))

/** Returns the middle of the durations in a bucket, in whole milliseconds. */
const toMilliseconds = (bucket: number): number =>
  bucket === 0 ? firstLimitMs / 2 : Math.round(firstLimitMs * growth ** (bucket - 0.5))

/** Percentiles of durations in milliseconds, null without a duration. */
export interface Percentiles {
  count: number
  p50: number | null
  p90: number | null
  p95: number | null
}

/**
 * Returns the percentiles of counted durations (nearest rank).
 * @param counts the number of durations per bucket
 */
export const getPercentiles = (counts: readonly number[]): Percentiles => {
  // A sum is negative only if rows of a conversation were deleted before it was computed again.
  const total = counts.reduce((sum, count) => sum + Math.max(0, count), 0)
  const find = (share: number): number | null => {
    let remaining = Math.ceil(total * share)
    for (const [bucket, count] of counts.entries()) {
      if (count <= 0) continue
      remaining -= count
      if (remaining <= 0) return toMilliseconds(bucket)
    }
    return null
  }
  return { count: total, p50: find(0.5), p90: find(0.9), p95: find(0.95) }
}
