import { type Database, inTransaction } from '../../database/engine.ts'
import { isPending, steadyEpochMs } from '../../lib/clock.ts'
import type { Counters } from './counters.ts'

interface Count {
  count: number
  /** Epoch milliseconds. */
  expires_at: number
}

const storeDelayMs = 1000

/** Maximum number of counters in memory, so that requests with invented names cannot exhaust it. */
const maxEntries = 50_000

/**
 * Counters for the single process of an embedded database. They are kept in memory and stored at most once a second,
 * because a commit per request would cost more than what the counters protect. A crash loses the last second.
 */
export const createWriteBehindCounters = (
  database: Database,
  now: () => number = steadyEpochMs,
  max = maxEntries,
): Counters => {
  const changedNames = new Set<string>()
  let loading: Promise<Map<string, Count>> | undefined
  let timer: NodeJS.Timeout | undefined
  let storePromise = Promise.resolve()

  const load = async (): Promise<Map<string, Count>> => {
    const rows = await database.db.selectFrom('patchbay_counters').selectAll().orderBy('expires_at').execute()
    return new Map(rows.map(({ counter, count, expires_at }) => [counter, { count, expires_at }]))
  }

  const loadCounts = (): Promise<Map<string, Count>> => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }

  const store = async (): Promise<void> => {
    timer = undefined
    const names = [...changedNames]
    changedNames.clear()
    const counts = await loadCounts()
    try {
      await inTransaction(database, async (trx) => {
        await trx.deleteFrom('patchbay_counters').where('expires_at', '<=', now()).execute()
        for (const counter of names) {
          await trx.deleteFrom('patchbay_counters').where('counter', '=', counter).execute()
          const count = counts.get(counter)
          if (count && count.expires_at > now())
            await trx
              .insertInto('patchbay_counters')
              .values({ counter, ...count })
              .execute()
        }
      })
    } catch {
      // If the disk is full, counting continues in memory and the counts are stored with the next change.
      for (const name of names) changedNames.add(name)
    }
  }

  const storeSoon = (counter: string): void => {
    changedNames.add(counter)
    timer ??= setTimeout(() => {
      storePromise = storePromise.then(store)
    }, storeDelayMs).unref()
  }

  const getUnexpired = (counts: Map<string, Count>, counter: string, seconds = Infinity): Count | undefined => {
    const count = counts.get(counter)
    return count && isPending(count.expires_at, now(), seconds * 1000) ? count : undefined
  }

  /** Moves the counter to the end, so that the least recently used ones are evicted first. */
  const setCount = (counts: Map<string, Count>, counter: string, count: Count): void => {
    counts.delete(counter)
    counts.set(counter, count)
    for (const oldest of counts.keys()) {
      if (counts.size <= max) break
      counts.delete(oldest)
      storeSoon(oldest)
    }
    storeSoon(counter)
  }

  return {
    async read(counter, seconds) {
      return getUnexpired(await loadCounts(), counter, seconds)?.count ?? 0
    },
    async increment(counter, seconds) {
      const counts = await loadCounts()
      const count = (getUnexpired(counts, counter, seconds)?.count ?? 0) + 1
      // The time can be a fraction of a second, and the column contains whole milliseconds.
      setCount(counts, counter, { count, expires_at: Math.ceil(now() + seconds * 1000) })
      return count
    },
    async decrement(counter) {
      const counts = await loadCounts()
      const count = getUnexpired(counts, counter)
      if (count && count.count > 0) setCount(counts, counter, { ...count, count: count.count - 1 })
    },
    async clear(counter) {
      if ((await loadCounts()).delete(counter)) storeSoon(counter)
    },
    async close() {
      if (timer === undefined) return storePromise
      clearTimeout(timer)
      await storePromise.then(store)
    },
  }
}
