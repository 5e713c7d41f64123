/**
 * Clocks for durations. `Date.now()` jumps when an operator or NTP sets the system clock, so windows, lockouts, and
 * intervals that live in this process are measured with a monotonic clock.
 */

/** Returns milliseconds since an arbitrary origin. Only differences within one process are meaningful. */
export const monotonicMs = (): number => performance.now()

/**
 * Returns milliseconds since the epoch: the system time at process start plus the monotonic time since then. Suitable
 * for deadlines in memory that are also stored.
 */
export const steadyEpochMs = (): number => performance.timeOrigin + performance.now()

/** Maximum difference between the system clocks of processes that share a database. */
export const maxClockSkewMs = 5 * 60_000

/**
 * Returns the latest deadline that a correct clock can have stored. Later ones were written before the system clock was
 * set back, and count as passed.
 *
 * @param longestMs the duration with which deadlines of this kind are created
 */
export const latestDeadline = (now: number, longestMs: number): number => now + longestMs + maxClockSkewMs

/**
 * Returns whether a stored deadline is in the future.
 *
 * @param deadline epoch milliseconds
 */
export const isPending = (deadline: number, now: number, longestMs: number): boolean =>
  deadline > now && deadline <= latestDeadline(now, longestMs)
