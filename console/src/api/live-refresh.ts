/**
 * Refreshes live data in an interval while its page is visible. TanStack Query pauses the interval while the page is
 * hidden or offline, and refreshes at once when it is back. Each response is complete, so a pause misses nothing.
 */

/** The longest pause after failures. */
const maxPauseMs = 300_000

interface RefreshState {
  status: 'pending' | 'error' | 'success'
  /** Milliseconds since the Unix epoch, or 0 before the first response. */
  dataUpdatedAt: number
  errorUpdatedAt: number
}

/**
 * Returns the milliseconds until the next read. After a failure, the pause is as long as the outage so far, so it
 * doubles with each failure, up to 5 minutes.
 */
export const getRefreshPauseMs = (
  intervalMs: number | false,
  { status, dataUpdatedAt, errorUpdatedAt }: RefreshState,
): number | false =>
  intervalMs === false || status !== 'error'
    ? intervalMs
    : Math.min(maxPauseMs, Math.max(intervalMs, errorUpdatedAt - dataUpdatedAt))

/** Returns the query options that keep data live. Without an interval, the data does not change on its own. */
export const liveRefresh = (intervalMs: number | false) => ({
  refetchInterval: ({ state }: { state: RefreshState }) => getRefreshPauseMs(intervalMs, state),
})
