/**
 * Clocks for durations. `Date.now()` jumps when an operator or NTP sets the system clock, so windows, lockouts, and
 * intervals that live in this process are measured with a monotonic clock.
 */

/** Returns milliseconds since an arbitrary origin. Only differences within one process are meaningful. */
export const monotonicMs = (): number => performance.now()

/**
 * Returns milliseconds since the epoch: the wall clock at process start plus the monotonic time since then. Use it for
 * deadlines that are kept in memory and also stored.
 */
export const steadyEpochMs = (): number => performance.timeOrigin + performance.now()

/** By how much the system clocks of processes that share a database may differ. */
export const maxClockSkewMs = 5 * 60_000

/**
 * Returns the latest deadline that can have been stored by a clock that is right. Later ones were written before the
 * system clock was set back, and count as passed.
 *
 * @param longestMs the duration with which deadlines of this kind are created
 */
export const latestDeadline = (now: number, longestMs: number): number => now + longestMs + maxClockSkewMs

/**
 * Returns whether a stored deadline still lies ahead.
 *
 * @param deadline epoch milliseconds
 */
export const isPending = (deadline: number, now: number, longestMs: number): boolean =>
  deadline > now && deadline <= latestDeadline(now, longestMs)
