import type { FastifyBaseLogger } from 'fastify'
import type { RedisConnection } from '../redis.ts'
import { type ScanBounds, scanBounds, scanThrough } from '../redis-scan.ts'
import { activeCalls, parseScores, runForEachKey } from './redis-call-keys.ts'

/**
 * No other component of jambonz cleans up the set of live calls: the API server has to do it
 * (docs/reference/platform-api/live-calls.md#call-records-in-redis).
 */

const lock = 'purge-calls-lock'
const lockSeconds = 60
const purgeIntervalMs = 600_000
/** A call is added to the set before its record is written, so recent ones are skipped. */
const minimumAgeMs = 60_000

/**
 * Removes the calls whose records have expired from the set, and returns their number. A lock ensures that one process
 * at a time does it.
 */
export const purgeLiveCalls = (
  { run }: Pick<RedisConnection, 'run'>,
  bounds: ScanBounds = scanBounds,
): Promise<number> =>
  run(async (redis) => {
    if ((await redis.set(lock, 'locked', 'EX', lockSeconds, 'NX')) === null) return 0
    let purged = 0
    try {
      await scanThrough(
        bounds,
        (cursor) => redis.zscan(activeCalls, cursor, 'COUNT', bounds.batch),
        async (batch) => {
          const old = parseScores(batch).filter(([, score]) => score < bounds.now() - minimumAgeMs)
          const keys = old.map(([key]) => key)
          const existing = await runForEachKey<number>(redis, keys, (pipeline, key) => pipeline.exists(key))
          const expired = keys.filter((_, index) => existing[index] === 0)
          if (expired.length > 0) purged += await redis.zrem(activeCalls, ...expired)
        },
      )
    } finally {
      await redis.del(lock)
    }
    return purged
  })

/**
 * Purges immediately and every ten minutes. Returns a function that stops it. A failed purge is repeated at the next
 * interval.
 */
export const purgeRegularly = (redis: RedisConnection, log: FastifyBaseLogger): (() => void) => {
  const purge = () => {
    purgeLiveCalls(redis).catch((error: unknown) =>
      log.info({ err: error }, 'ended calls could not be removed from the list; retrying in ten minutes'),
    )
  }
  purge()
  const timer = setInterval(purge, purgeIntervalMs)
  timer.unref()
  return () => clearInterval(timer)
}
