import { isOver } from '@patchbay/contract/shared/call-changes'
import { monotonicMs } from '../../lib/clock.ts'
import type { RedisConnection } from '../redis.ts'
import { type ScanBounds, scanThrough } from '../redis-scan.ts'
import { activeCalls, getAccount, parseScores, runForEachKey } from './redis-call-keys.ts'

/** Callers within this time share one count, so that many open overviews cause one scan. */
const sharedMs = 5_000

/**
 * Returns a function that counts the calls in progress by account_sid. The set of calls also contains ended calls and
 * calls whose records have expired, so the status of each is read. A failed count is not shared.
 * @param now monotonic clock, in milliseconds
 */
export const createInProgressCounter = ({ run }: RedisConnection, bounds: ScanBounds, now = monotonicMs) => {
  const count = () =>
    run(async (redis) => {
      const counted = new Set<string>()
      const counts = new Map<string, number>()
      await scanThrough(
        bounds,
        (cursor) => redis.zscan(activeCalls, cursor, 'COUNT', bounds.batch),
        async (batch) => {
          const keys = parseScores(batch).flatMap(([key]) => (counted.has(key) ? [] : key))
          const statuses = await runForEachKey<string | null>(redis, keys, (pipeline, key) =>
            pipeline.hget(key, 'callStatus'),
          )
          for (const [index, key] of keys.entries()) {
            counted.add(key)
            const status = statuses[index] ?? undefined
            if (status === undefined || isOver(status)) continue
            counts.set(getAccount(key), (counts.get(getAccount(key)) ?? 0) + 1)
          }
        },
      )
      return counts
    })
  let shared: { at: number; counts: Promise<ReadonlyMap<string, number>> } | undefined
  return (): Promise<ReadonlyMap<string, number>> => {
    if (shared !== undefined && now() - shared.at < sharedMs) return shared.counts
    const counts = count()
    const current = { at: now(), counts }
    shared = current
    counts.catch(() => {
      if (shared === current) shared = undefined
    })
    return counts
  }
}
