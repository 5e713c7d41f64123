import { minuteMs } from '@patchbay/contract/shared/durations'
import type { Transaction } from 'kysely'
import { type Database, type EngineName, insertIgnoringDuplicates } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import { chunk } from '../../lib/chunk.ts'
import type { TranscriptStorage } from './external-transcript-index.ts'

/**
 * Removes the words of deleted transcripts from an external index. The transaction that deletes a transcript records it,
 * and a job removes its words later, many at a time, because ClickHouse deletes rows by rewriting files.
 */

/** By then, a process that was adding the words when their transcript was deleted has done so, or has failed. */
const settlingMs = 10 * minuteMs
/** Maximum time that a removal waits for others. */
const maxWaitMs = 30 * minuteMs
/** Each ID takes 17 bytes of a statement, which has 256 KiB at most. */
const batchSize = 5000
const deleteBatchSize = 500

/** Records transcripts that the transaction deletes. */
export const recordRemovals = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  ids: readonly number[],
): Promise<void> => {
  const removed_at = Date.now()
  const rows = ids.map((transcript_id) => ({ transcript_id, removed_at }))
  if (rows.length > 0) await insertIgnoringDuplicates(trx, engine, 'patchbay_transcript_removals', rows)
}

/** Returns whether the words of a deleted transcript with this ID are still to be removed. */
export const isRemovalPending = async (trx: Transaction<Tables>, transcript_id: number): Promise<boolean> => {
  const pending = trx
    .selectFrom('patchbay_transcript_removals')
    .select('transcript_id')
    .where('transcript_id', '=', transcript_id)
  return (await pending.execute()).length > 0
}

const readDue = async ({ db }: Database, now: number): Promise<number[]> => {
  const rows = await db
    .selectFrom('patchbay_transcript_removals')
    .select(['transcript_id', 'removed_at'])
    .where('removed_at', '<', now - settlingMs)
    .orderBy('removed_at')
    .limit(batchSize)
    .execute()
  const isDue = rows.length === batchSize || (rows[0]?.removed_at ?? now) < now - maxWaitMs
  return isDue ? rows.map(({ transcript_id }) => transcript_id) : []
}

/** Removes the words of transcripts that are due. Returns whether there were some. */
export const removeDueTranscripts = async (
  { database, transcriptIndex }: TranscriptStorage,
  now: number,
): Promise<boolean> => {
  const ids = await readDue(database, now)
  if (ids.length === 0) return false
  await transcriptIndex?.remove(ids)
  for (const some of chunk(ids, deleteBatchSize))
    await database.db.deleteFrom('patchbay_transcript_removals').where('transcript_id', 'in', some).execute()
  return true
}
