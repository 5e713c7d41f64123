import { dayMs } from '@patchbay/contract/shared/durations'
import { bulkLeases } from '../database/bulk-steps.ts'
import { type Database, inTransaction } from '../database/engine.ts'
import type { BulkChangeRow } from '../resources/bulk-changes/store.ts'

/**
 * Changes the records of bulk changes that are due. The process works on each for a short time, and then on the next, so
 * that no tenant waits for the end of another's.
 */

/** Time for which a process works on a bulk change before it looks for another. */
const sliceMs = 2000
/** Ended bulk changes are kept for this time. */
const keptMs = 7 * dayMs
const deletionBatchSize = 20

type RunRecords = (row: BulkChangeRow & { claim: string }, maxMs: number, signal: AbortSignal) => Promise<void>

interface Options {
  database: Database
  runRecords: RunRecords
  now: () => number
  signal: AbortSignal
}

/** Deletes some of the bulk changes that have ended long ago. */
const deleteOld = async ({ db }: Database, now: number): Promise<void> => {
  const old = await db
    .selectFrom('patchbay_bulk_changes')
    .select('bulk_change_sid')
    .where('finished_at', '<=', now - keptMs)
    .limit(deletionBatchSize)
    .execute()
  const sids = old.map(({ bulk_change_sid }) => bulk_change_sid)
  if (sids.length === 0) return
  for (const table of ['patchbay_bulk_change_records', 'patchbay_bulk_changes'] as const)
    await db.deleteFrom(table).where('bulk_change_sid', 'in', sids).execute()
}

/** Leases the bulk change that has waited for the longest time. */
const claimNext = (database: Database, now: number): Promise<(BulkChangeRow & { claim: string }) | undefined> =>
  inTransaction(database, async (trx) => {
    const row = await trx
      .selectFrom('patchbay_bulk_changes')
      .selectAll()
      .where('due_at', '<=', now)
      .where(bulkLeases.isFree(now))
      .orderBy('due_at')
      .orderBy('bulk_change_sid')
      .limit(1)
      .executeTakeFirst()
    const claim = row && (await bulkLeases.claim(trx, row, now))
    return row && claim !== undefined ? { ...row, claim } : undefined
  })

export const createBulkChangeJob =
  ({ database, runRecords, now, signal }: Options): (() => Promise<void>) =>
  async () => {
    await deleteOld(database, now())
    while (!signal.aborted) {
      const row = await claimNext(database, now())
      if (row === undefined) return
      await runRecords(row, sliceMs, signal)
    }
  }
