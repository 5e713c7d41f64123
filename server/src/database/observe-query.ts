import { monotonicMs } from '../lib/clock.ts'
import { queryEvents } from '../lib/telemetry.ts'

/**
 * Publishes the duration and the result of a statement for metrics. The drivers measure statements themselves, because
 * another asynchronous function around each would cost more than the measurement.
 *
 * @param startedAt result of `startQuery`. Undefined if statements are not observed
 */
export const publishQuery = (pool: string, sql: string, startedAt: number | undefined, hasFailed: boolean): void => {
  if (startedAt === undefined) return
  queryEvents.publish({ pool, sql, seconds: (monotonicMs() - startedAt) / 1000, hasFailed })
}

/** Returns the time in milliseconds if statements are observed. */
export const startQuery = (): number | undefined => (queryEvents.isObserved ? monotonicMs() : undefined)
