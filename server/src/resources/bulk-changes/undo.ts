import { throwApiError } from '@patchbay/contract/api/errors'
import type { NewBulkChange } from '@patchbay/contract/bulk-changes'
import { maxImmediateRecords } from '@patchbay/contract/bulk-changes/bulk-change-limits'
import { type Kysely, sql } from 'kysely'
import { acquireNamedLock } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import type { Caller } from '../../lib/caller.ts'
import {
  type BulkChangeRow,
  bulkChangesLock,
  createBulkChange,
  getUndoSeconds,
  selectWithCounts,
  toPrincipalSid,
} from './store.ts'

/** Undoes an update in bulk by another one, which restores the values that each record had. */

/** Selects the records of a bulk change whose values it has replaced. */
const selectReplaced = (db: Kysely<Tables>, bulk_change_sid: string) =>
  db
    .selectFrom('patchbay_bulk_change_records')
    .where('bulk_change_sid', '=', bulk_change_sid)
    .where('status', '=', 'done')
    .where('changed_values', 'is not', null)

/**
 * Stores a bulk change that restores the values which another one has replaced.
 * @throws ApiError `not_found` if the principal has not requested it, and `bulk_change_kept` if it cannot be undone
 */
export const createUndo = async (write: WriteTransaction, caller: Caller, undoes: string): Promise<BulkChangeRow> => {
  const { trx, engine } = write
  await acquireNamedLock(trx, engine, bulkChangesLock)
  const original = await selectWithCounts(trx, toPrincipalSid(caller))
    .where('bulk_change_sid', '=', undoes)
    .executeTakeFirst()
  if (original === undefined) return throwApiError('not_found')
  if (getUndoSeconds(original, Date.now()) === 0) throwApiError('bulk_change_kept')
  const kind = original.kind as NewBulkChange['kind']
  const replaced = selectReplaced(trx, original.bulk_change_sid)
  const { records } = await replaced
    .select(({ fn }) => fn.countAll<number | string>().as('records'))
    .executeTakeFirstOrThrow()
  const total = Number(records)
  const plan = { records: [], total, undoes: original.bulk_change_sid }
  const isImmediate = total <= maxImmediateRecords
  const row = await createBulkChange(write, caller, { kind, operation: 'update' }, plan, isImmediate)
  await trx
    .insertInto('patchbay_bulk_change_records')
    .columns(['bulk_change_sid', 'position', 'record_sid', 'status'])
    .expression(
      replaced.select([
        sql<string>`${row.bulk_change_sid}`.as('bulk_change_sid'),
        'position',
        'record_sid',
        sql<string>`'waiting'`.as('status'),
      ]),
    )
    .execute()
  return row
}
