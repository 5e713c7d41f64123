import { sql } from 'kysely'
import { type Database, inTransaction } from '../../database/engine.ts'
import { latestDeadline } from '../../lib/clock.ts'
import { throttle } from '../../lib/throttle.ts'
import type { Counters } from './counters.ts'

const cleanupIntervalMs = 60_000

/** Counters that several processes share through MySQL. Each increment is one statement. */
export const createSqlCounters = (database: Database, now: () => number = Date.now): Counters => {
  const { db } = database
  const deleteExpired = throttle(cleanupIntervalMs, () =>
    inTransaction(database, (trx) => trx.deleteFrom('patchbay_counters').where('expires_at', '<=', now()).execute()),
  )
  const read = async (counter: string, seconds: number): Promise<number> => {
    const row = await db
      .selectFrom('patchbay_counters')
      .select('count')
      .where('counter', '=', counter)
      .where('expires_at', '>', now())
      .where('expires_at', '<=', latestDeadline(now(), seconds * 1000))
      .executeTakeFirst()
    return row?.count ?? 0
  }
  return {
    read,
    async increment(counter, seconds) {
      await deleteExpired()
      const expires_at = now() + seconds * 1000
      const latest = latestDeadline(now(), seconds * 1000)
      await inTransaction(database, (trx) =>
        trx
          .insertInto('patchbay_counters')
          .values({ counter, count: 1, expires_at })
          .onDuplicateKeyUpdate({
            // MySQL assigns the columns in this order, so the expression still sees the old expiry.
            count: sql`if(expires_at > ${now()} and expires_at <= ${latest}, count + 1, 1)`,
            expires_at,
          })
          .execute(),
      )
      // The result includes concurrent increments by other processes.
      return read(counter, seconds)
    },
    async decrement(counter) {
      await db
        .updateTable('patchbay_counters')
        .set((column) => ({ count: column('count', '-', 1) }))
        .where('counter', '=', counter)
        .where('count', '>', 0)
        .execute()
    },
    async clear(counter) {
      await db.deleteFrom('patchbay_counters').where('counter', '=', counter).execute()
    },
  }
}
