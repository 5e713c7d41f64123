import type { FastifyBaseLogger } from 'fastify'
import type { RedisConnection } from '../redis.ts'
import { type ScanBounds, scanBounds, scanThrough } from '../redis-scan.ts'
import { activeCalls, repliesFor, scoresIn } from './redis-live-calls.ts'

/** The set of live calls is never emptied by who fills it: the API server does that (api/4-calls-and-hosted.md §3.2). */

const lock = 'purge-calls-lock'
const lockSeconds = 60
const everyMilliseconds = 600_000
/** The record of a call that began just now may be on its way. */
const youngMilliseconds = 60_000

/** Takes out of the set the calls whose records have run out; answers how many. One process at a time does it. */
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
        async (found) => {
          const old = scoresIn(found).filter(([, score]) => score < bounds.now() - youngMilliseconds)
          const keys = old.map(([key]) => key)
          const there = await repliesFor<number>(redis, keys, (pipeline, key) => pipeline.exists(key))
          const expired = keys.filter((_, index) => there[index] === 0)
          if (expired.length > 0) purged += await redis.zrem(activeCalls, ...expired)
        },
      )
    } finally {
      await redis.del(lock)
    }
    return purged
  })

/** Now and every ten minutes; the answer ends it. What fails is tried again with the next. */
export const purgeRegularly = (redis: RedisConnection, log: FastifyBaseLogger): (() => void) => {
  const purge = () => {
    purgeLiveCalls(redis).catch((error: unknown) => log.info({ err: error }, 'ended calls stay in the list for now'))
  }
  purge()
  const timer = setInterval(purge, everyMilliseconds)
  timer.unref()
  return () => clearInterval(timer)
}
