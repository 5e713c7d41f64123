import { refuse } from '@patchbay/contract/errors'
import type { Redis } from 'ioredis'
import { createTurns } from '../../turns.ts'
import type { RedisConnection } from '../redis.ts'
import type { TtsCache } from './tts-cache.ts'

/** Keys `tts:{account_sid}:{hash}`, and `tts:{hash}` of no account (api/4-calls-and-hosted.md §4). */
const patternOf = (account_sid: string | null): string => (account_sid === null ? 'tts:*' : `tts:${account_sid}:*`)

/** Keys looked at in one command: Redis is busy for about a millisecond, and others get their turn between. */
const batch = 1_000
/** Batches of one scan, of all keys that Redis has: a million. */
const mostBatches = 1_000
/** And how long it may take, in milliseconds. */
const longest = 10_000

export interface ScanBounds {
  batch: number
  mostBatches: number
  now: () => number
}

export const createRedisTtsCache = (
  { run }: RedisConnection,
  { batch: count, mostBatches: most, now }: ScanBounds = { batch, mostBatches, now: Date.now },
): TtsCache => {
  // A scan goes through all that Redis has, whoever asks: one at a time, and few of one who asks again and again.
  const turns = createTurns({ atOnce: 1, most: 4 })

  /** Each key once: while Redis grows or shrinks its table a scan meets some of them twice. */
  const scan = async (
    account_sid: string | null,
    each: (redis: Redis, keys: readonly string[]) => Promise<unknown>,
  ): Promise<number> =>
    turns.enter(account_sid ?? '', (turn) =>
      turn(() =>
        run(async (redis) => {
          const until = now() + longest
          const seen = new Set<string>()
          let cursor = '0'
          for (let scanned = 0; scanned < most && now() < until; scanned += 1) {
            const [next, keys] = await redis.scan(cursor, 'MATCH', patternOf(account_sid), 'COUNT', count)
            const fresh = keys.filter((key) => !seen.has(key))
            for (const key of fresh) seen.add(key)
            if (fresh.length > 0) await each(redis, fresh)
            if (next === '0') return seen.size
            cursor = next
          }
          return refuse('timed_out')
        }),
      ),
    )

  return {
    size: (account_sid) => scan(account_sid, () => Promise.resolve()),
    // The memory of a removed prompt is given back beside the commands of others.
    clear: (account_sid) => scan(account_sid, (redis, keys) => redis.unlink(...keys)),
  }
}
