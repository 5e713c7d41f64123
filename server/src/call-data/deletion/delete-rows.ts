import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'

/** Deletes up to `limit` rows of a table that match a condition. Returns the number of deleted rows. */
export const deleteRows = async (
  { db, engine }: Pick<Database, 'db' | 'engine'>,
  table: keyof Tables,
  condition: RawBuilder<boolean>,
  limit: number,
): Promise<number> => {
  const rows = sql.table(table)
  const statement =
    engine === 'mysql'
      ? sql`DELETE FROM ${rows} WHERE ${condition} LIMIT ${sql.lit(limit)}`
      : sql`DELETE FROM ${rows} WHERE rowid IN (SELECT rowid FROM ${rows} WHERE ${condition} LIMIT ${sql.lit(limit)})`
  const { numAffectedRows } = await statement.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Deletes all rows that match a condition, in batches. Returns the number of deleted rows. */
export const deleteAllRows = async (
  database: Pick<Database, 'db' | 'engine'>,
  table: keyof Tables,
  condition: RawBuilder<boolean>,
  batchSize: number,
): Promise<number> => {
  for (let deleted = 0; ; ) {
    const count = await deleteRows(database, table, condition, batchSize)
    deleted += count
    if (count < batchSize) return deleted
  }
}

/** Returns the condition that a column has one of some values, of which there can be none. */
export const createIdCondition = (column: string, values: Iterable<string>): RawBuilder<boolean> => {
  const all = [...values]
  return all.length === 0 ? sql<boolean>`1 = 0` : sql<boolean>`${sql.ref(column)} IN (${sql.join(all)})`
}
