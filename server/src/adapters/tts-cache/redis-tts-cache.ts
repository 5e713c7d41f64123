import type { Redis } from 'ioredis'
import { createFairQueue } from '../../lib/fair-queue.ts'
import type { RedisConnection } from '../redis.ts'
import { type ScanBounds, scanBounds, scanThrough } from '../redis-scan.ts'
import type { TtsCache } from './tts-cache.ts'

/**
 * Matches the keys `tts:{account_sid}:{hash}`, and `tts:{hash}` of prompts without an account
 * (docs/reference/platform-api/live-calls.md#redis-keys).
 */
const createKeyPattern = (account_sid: string | null): string =>
  account_sid === null ? 'tts:*' : `tts:${account_sid}:*`

/** Creates the view of the TTS cache that the feature servers keep in Redis. */
export const createRedisTtsCache = ({ run }: RedisConnection, bounds: ScanBounds = scanBounds): TtsCache => {
  // A scan reads all keys of Redis, so one scan runs at a time and few wait per account.
  const queue = createFairQueue({ name: 'tts_cache', concurrency: 1, max: 4 })

  /** Passes each key on once, although SCAN may return a key twice while Redis resizes its hash table. */
  const scan = async (
    account_sid: string | null,
    onBatch: (redis: Redis, keys: readonly string[]) => Promise<unknown>,
  ): Promise<number> =>
    queue.run(account_sid ?? '', (runStep) =>
      runStep(() =>
        run(async (redis) => {
          const seen = new Set<string>()
          await scanThrough(
            bounds,
            (cursor) => redis.scan(cursor, 'MATCH', createKeyPattern(account_sid), 'COUNT', bounds.batch),
            async (keys) => {
              const newKeys = keys.filter((key) => !seen.has(key))
              for (const key of newKeys) seen.add(key)
              if (newKeys.length > 0) await onBatch(redis, newKeys)
            },
          )
          return seen.size
        }),
      ),
    )

  return {
    size: (account_sid) => scan(account_sid, () => Promise.resolve()),
    // UNLINK frees the memory in the background, so that other clients' commands are not blocked.
    clear: (account_sid) => scan(account_sid, (redis, keys) => redis.unlink(...keys)),
  }
}
