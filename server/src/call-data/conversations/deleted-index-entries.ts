import { type Kysely, sql, type Transaction } from 'kysely'
import { type Database, inTransaction } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import { transcriptIndexTable } from './transcript-index-table.ts'

/**
 * Removes the words of deleted transcripts from the FTS5 index. FTS5 marks a deleted row, and removes its words when it
 * merges the part of the index that contains them, which can be never. The FULLTEXT index of MySQL has no such marks.
 */

const index = sql.raw(transcriptIndexTable)
const data = sql.raw(`${transcriptIndexTable}_data`)

/** FTS5 numbers the pages of its marks from here on: segment ID plus 2^16, times 2^37. */
const firstMarkedPage = 2 ** 53

/** Number of pages of 4 KB that a step writes, which takes 5 ms on the main thread. */
const pagesPerStep = 32

const hasDeletedEntries = async (db: Kysely<Tables>): Promise<boolean> => {
  const { rows } = await sql`SELECT 1 AS found FROM ${data} WHERE id >= ${sql.lit(firstMarkedPage)} LIMIT 1`.execute(db)
  return rows.length > 0
}

/** Returns whether there was something to merge. A negative number of pages also merges parts that are large enough. */
const merge = async (trx: Transaction<Tables>, pages: number): Promise<boolean> => {
  const count = async () =>
    (await sql<{ changes: number }>`SELECT total_changes() AS changes`.execute(trx)).rows[0]?.changes ?? 0
  const before = await count()
  await sql`INSERT INTO ${index} (${index}, rank) VALUES ('merge', ${sql.lit(pages)})`.execute(trx)
  // The statement itself counts as one change (https://www.sqlite.org/fts5.html#the_merge_command).
  return (await count()) - before > 1
}

/** Merges some pages of the index if it contains words of deleted transcripts. Returns whether it contains more. */
export const removeDeletedEntries = async (database: Database): Promise<boolean> => {
  if (database.engine !== 'sqlite' || !(await hasDeletedEntries(database.db))) return false
  const hasMerged = await inTransaction(
    database,
    async (trx) => (await merge(trx, pagesPerStep)) || (await merge(trx, -pagesPerStep)),
  )
  return hasMerged && hasDeletedEntries(database.db)
}
