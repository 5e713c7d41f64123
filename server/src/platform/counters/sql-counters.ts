import type { Database } from '../../database/engine.ts'
import type { Counters } from './counters.ts'

export const createSqlCounters = ({ db }: Database, now: () => number = Date.now): Counters => {
  const read = async (counter: string): Promise<number> => {
    const row = await db
      .selectFrom('patchbay_counters')
      .select('count')
      .where('counter', '=', counter)
      .where('expires_at', '>', now())
      .executeTakeFirst()
    return row?.count ?? 0
  }
  return {
    read,
    increment: (counter, seconds) =>
      db.transaction().execute(async (trx) => {
        await trx.deleteFrom('patchbay_counters').where('expires_at', '<=', now()).execute()
        const expires_at = now() + seconds * 1000
        const { numUpdatedRows } = await trx
          .updateTable('patchbay_counters')
          .set((column) => ({ count: column('count', '+', 1), expires_at }))
          .where('counter', '=', counter)
          .executeTakeFirst()
        if (numUpdatedRows === 0n)
          await trx.insertInto('patchbay_counters').values({ counter, count: 1, expires_at }).execute()
        const row = await trx
          .selectFrom('patchbay_counters')
          .select('count')
          .where('counter', '=', counter)
          .executeTakeFirstOrThrow()
        return row.count
      }),
    async clear(counter) {
      await db.deleteFrom('patchbay_counters').where('counter', '=', counter).execute()
    },
  }
}
