import type { Redis } from 'ioredis'
import { createFairQueue } from '../../lib/fair-queue.ts'
import type { RedisConnection } from '../redis.ts'
import { type ScanBounds, scanBounds, scanThrough } from '../redis-scan.ts'
import type { TtsCache } from './tts-cache.ts'

/** Keys `tts:{account_sid}:{hash}`, and `tts:{hash}` of no account (api/4-calls-and-hosted.md §4). */
const patternOf = (account_sid: string | null): string => (account_sid === null ? 'tts:*' : `tts:${account_sid}:*`)

export const createRedisTtsCache = ({ run }: RedisConnection, bounds: ScanBounds = scanBounds): TtsCache => {
  // A scan goes through all that Redis has, whoever asks: one at a time, and few of one who asks again and again.
  const queue = createFairQueue({ concurrency: 1, max: 4 })

  /** Each key once: while Redis grows or shrinks its table a scan meets some of them twice. */
  const scan = async (
    account_sid: string | null,
    each: (redis: Redis, keys: readonly string[]) => Promise<unknown>,
  ): Promise<number> =>
    queue.run(account_sid ?? '', (runStep) =>
      runStep(() =>
        run(async (redis) => {
          const seen = new Set<string>()
          await scanThrough(
            bounds,
            (cursor) => redis.scan(cursor, 'MATCH', patternOf(account_sid), 'COUNT', bounds.batch),
            async (keys) => {
              const fresh = keys.filter((key) => !seen.has(key))
              for (const key of fresh) seen.add(key)
              if (fresh.length > 0) await each(redis, fresh)
            },
          )
          return seen.size
        }),
      ),
    )

  return {
    size: (account_sid) => scan(account_sid, () => Promise.resolve()),
    // The memory of a removed prompt is given back beside the commands of others.
    clear: (account_sid) => scan(account_sid, (redis, keys) => redis.unlink(...keys)),
  }
}
