import type { FieldChange } from '@patchbay/contract/bulk-changes'
import { minuteMs } from '@patchbay/contract/shared/durations'
import { type Kysely, sql } from 'kysely'
import type { BulkMember, BulkStep } from '../lib/caller.ts'
import { type EngineName, lockForUpdate } from './engine.ts'
import { createClaimLeases } from './leases.ts'
import { belongsTo } from './record-owners.ts'
import type { AnyTable, Tables } from './tables.ts'

/** Stores the progress of bulk changes, record by record. */

/** Another process continues after this time without progress. */
export const bulkLeases = createClaimLeases({
  table: 'patchbay_bulk_changes',
  key: ['bulk_change_sid'],
  durationMs: minuteMs / 2,
})

/** The bulk change was canceled or deleted, or another process has taken it over. */
export class BulkStepLostError extends Error {}

/** The record has left the owner with whose contents it was to be deleted. */
export class BulkMemberLostError extends Error {}

interface StepOutcome {
  /** `skipped` if the record has left its owner before. */
  status: 'done' | 'failed' | 'skipped'
  name?: string | null
  reason?: string
  /** JSON of the values that were replaced. */
  changed_values?: string
}

/**
 * Stores the outcome of a record, and extends the lease.
 * @throws BulkStepLostError if the process has lost the lease, or the record has an outcome. The transaction that
 *   changes the record then changes nothing.
 */
export const storeBulkOutcome = async (
  db: Kysely<Tables>,
  { bulk_change_sid, position, claim }: BulkStep,
  outcome: StepOutcome,
  now: number,
): Promise<void> => {
  const isHeld = await bulkLeases.change(db, { bulk_change_sid, claim }, { ...bulkLeases.extend(now), failures: 0 })
  const { numUpdatedRows } = await db
    .updateTable('patchbay_bulk_change_records')
    .set(outcome)
    .where('bulk_change_sid', '=', bulk_change_sid)
    .where('position', '=', position)
    .where('status', '=', 'waiting')
    .executeTakeFirst()
  if (!isHeld || numUpdatedRows !== 1n) throw new BulkStepLostError('the record is not for this process to change')
}

export const selectMember = (db: Kysely<Tables>, { table, key, sid, owner }: BulkMember) =>
  db
    .selectFrom(table as AnyTable)
    .select(sql.ref<string>(key).as('sid'))
    .where(sql.ref(key), '=', sid)
    .where(belongsTo(table, owner))

/**
 * Locks the record of a step that belongs to an owner, before the transaction changes it.
 * @throws BulkMemberLostError if it belongs to the owner no longer
 */
export const beginBulkStep = async (trx: Kysely<Tables>, engine: EngineName, { member }: BulkStep): Promise<void> => {
  if (member === undefined) return
  if ((await lockForUpdate(engine, selectMember(trx, member)).executeTakeFirst()) === undefined)
    throw new BulkMemberLostError('the record belongs to its owner no longer')
}

/** Stores that a record is done, and which values were replaced, in the transaction that changes it. */
export const completeBulkStep = (
  trx: Kysely<Tables>,
  step: BulkStep,
  changes: readonly FieldChange[],
  now: number,
): Promise<void> =>
  storeBulkOutcome(
    trx,
    step,
    { status: 'done', ...(changes.length > 0 && { changed_values: JSON.stringify(changes) }) },
    now,
  )
