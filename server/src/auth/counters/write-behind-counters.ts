import { isPending, steadyEpochMs } from '../../lib/clock.ts'
import { type Database, inTransaction } from '../../database/engine.ts'
import type { Counters } from './counters.ts'

interface Count {
  count: number
  /** epoch milliseconds */
  expires_at: number
}

const storeAfterMilliseconds = 1000

/** As many are remembered: whoever asks for names that nobody has must not fill the memory. */
const maxEntries = 50_000

/**
 * Counters of the one process on an embedded database: counted in memory, and stored every second at the most, since a
 * commit for each would cost more than what it protects. A crash loses the last second.
 */
export const createKeptCounters = (
  database: Database,
  now: () => number = steadyEpochMs,
  max = maxEntries,
): Counters => {
  const changed = new Set<string>()
  let loading: Promise<Map<string, Count>> | undefined
  let timer: NodeJS.Timeout | undefined
  let storing = Promise.resolve()

  const load = async (): Promise<Map<string, Count>> => {
    const rows = await database.db.selectFrom('patchbay_counters').selectAll().orderBy('expires_at').execute()
    return new Map(rows.map(({ counter, count, expires_at }) => [counter, { count, expires_at }]))
  }

  const kept = (): Promise<Map<string, Count>> => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }

  const store = async (): Promise<void> => {
    timer = undefined
    const names = [...changed]
    changed.clear()
    const counts = await kept()
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
      // A disk without room: they go on being counted, and are stored with the next change.
      for (const name of names) changed.add(name)
    }
  }

  const storeSoon = (counter: string): void => {
    changed.add(counter)
    timer ??= setTimeout(() => {
      storing = storing.then(store)
    }, storeAfterMilliseconds).unref()
  }

  const unexpired = (counts: Map<string, Count>, counter: string, seconds = Infinity): Count | undefined => {
    const found = counts.get(counter)
    return found && isPending(found.expires_at, now(), seconds * 1000) ? found : undefined
  }

  /** The last to be counted stand last, so those at the front may go. */
  const put = (counts: Map<string, Count>, counter: string, count: Count): void => {
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
      return unexpired(await kept(), counter, seconds)?.count ?? 0
    },
    async increment(counter, seconds) {
      const counts = await kept()
      const count = (unexpired(counts, counter, seconds)?.count ?? 0) + 1
      put(counts, counter, { count, expires_at: now() + seconds * 1000 })
      return count
    },
    async decrement(counter) {
      const counts = await kept()
      const found = unexpired(counts, counter)
      if (found && found.count > 0) put(counts, counter, { ...found, count: found.count - 1 })
    },
    async clear(counter) {
      if ((await kept()).delete(counter)) storeSoon(counter)
    },
    async close() {
      if (timer === undefined) return storing
      clearTimeout(timer)
      await storing.then(store)
    },
  }
}
