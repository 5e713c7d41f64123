import { randomUUID } from 'node:crypto'
import { throwApiError } from '@patchbay/contract/api/errors'
import type { BulkChange, ListedBulkChange, NewBulkChange } from '@patchbay/contract/bulk-changes'
import {
  maxListedBulkFailures,
  maxRunningBulkChanges,
  undoSeconds,
} from '@patchbay/contract/bulk-changes/bulk-change-limits'
import type { Kysely, Selectable } from 'kysely'
import type { PrincipalSid } from '../../auth/principals.ts'
import { bulkLeases } from '../../database/bulk-steps.ts'
import { acquireNamedLock } from '../../database/engine.ts'
import { noLease } from '../../database/leases.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import type { Caller } from '../../lib/caller.ts'
import { chunk } from '../../lib/chunk.ts'

/** SQL of bulk changes. Only the user or API key that has requested one can read or cancel it. */

const maxListed = 20
const rowsPerInsert = 500

/** Name of the lock that the transactions which create bulk changes hold. */
export const bulkChangesLock = 'bulk changes'

/** Position of a record that is deleted after its contents, which is behind any number of them. */
export const rootPosition = 1_000_000_000

export type BulkChangeRow = Selectable<Tables['patchbay_bulk_changes']>

/**
 * Returns the user or API key of a caller.
 * @throws ApiError `forbidden` for a token of jambonz that names neither, whose rights cannot be read again later
 */
export const toPrincipalSid = ({ token, sid, user_sid }: Caller): PrincipalSid => {
  if (token === 'user') return { user_sid, api_key_sid: null }
  return token === 'api_key' ? { user_sid: null, api_key_sid: sid } : throwApiError('forbidden')
}

const selectOfPrincipal = (db: Kysely<Tables>, { user_sid, api_key_sid }: PrincipalSid) =>
  user_sid === null
    ? db.selectFrom('patchbay_bulk_changes').where('api_key_sid', '=', api_key_sid)
    : db.selectFrom('patchbay_bulk_changes').where('user_sid', '=', user_sid)

/** Rejects a bulk change if the tenant has too many that are not finished. */
const checkLimit = async ({ trx, engine }: WriteTransaction, caller: Caller): Promise<void> => {
  await acquireNamedLock(trx, engine, bulkChangesLock)
  const { account_sid, service_provider_sid } = caller
  const running = await trx
    .selectFrom('patchbay_bulk_changes')
    .select('bulk_change_sid')
    .where('account_sid', account_sid === null ? 'is' : '=', account_sid)
    .where('service_provider_sid', service_provider_sid === null ? 'is' : '=', service_provider_sid)
    .where('due_at', 'is not', null)
    .limit(maxRunningBulkChanges)
    .execute()
  if (running.length >= maxRunningBulkChanges) throwApiError('too_many_bulk_changes')
}

interface NewRecord {
  position: number
  record_sid: string
  kind?: string
  operation?: string
  name?: string | null
}

/** Adds records, which wait for their change. */
export const insertRecords = async (
  db: Kysely<Tables>,
  bulk_change_sid: string,
  records: readonly NewRecord[],
): Promise<void> => {
  for (const some of chunk(records, rowsPerInsert))
    await db
      .insertInto('patchbay_bulk_change_records')
      .values(some.map((record) => ({ ...record, bulk_change_sid, status: 'waiting' })))
      .execute()
}

/** The records of a new bulk change, and their number, which is larger if some are added later. */
interface Plan {
  records: readonly NewRecord[]
  total: number
  /** The bulk change whose previous values the new one restores. */
  undoes?: string
}

/**
 * Stores a bulk change.
 * @param isLeased whether this process works on it first
 */
export const createBulkChange = async (
  write: WriteTransaction,
  caller: Caller,
  { kind, operation, values = {} }: Pick<NewBulkChange, 'kind' | 'operation' | 'values'>,
  { records, total, undoes }: Plan,
  isLeased: boolean,
): Promise<BulkChangeRow> => {
  await checkLimit(write, caller)
  const now = Date.now()
  const bulk_change_sid = randomUUID()
  const { account_sid, service_provider_sid, name, address, request_id } = caller
  const row: BulkChangeRow = {
    bulk_change_sid,
    ...toPrincipalSid(caller),
    account_sid,
    service_provider_sid,
    requested_by: name,
    address: address.slice(0, 64),
    request_id,
    kind,
    operation,
    new_values: JSON.stringify(values),
    status: 'running',
    stop_reason: null,
    total,
    requested_at: now,
    finished_at: null,
    due_at: now,
    ...(isLeased ? { claim: randomUUID(), ...bulkLeases.extend(now) } : noLease),
    failures: 0,
    undoes_sid: undoes ?? null,
  }
  await write.trx.insertInto('patchbay_bulk_changes').values(row).execute()
  await insertRecords(write.trx, bulk_change_sid, records)
  return row
}

const toIso = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** Selects bulk changes of a principal with the numbers of their records by outcome. */
export const selectWithCounts = (db: Kysely<Tables>, principal: PrincipalSid) =>
  selectOfPrincipal(db, principal)
    .selectAll()
    .select(({ selectFrom }) =>
      (['done', 'failed'] as const).map((status) =>
        selectFrom('patchbay_bulk_change_records as record')
          .select(({ fn }) => fn.countAll<number | string>().as('records'))
          .whereRef('record.bulk_change_sid', '=', 'patchbay_bulk_changes.bulk_change_sid')
          .where('record.status', '=', status)
          // Before its applications are deleted, an account is updated. That is no deleted record, unless it fails.
          .$if(status === 'done', (counted) =>
            counted.where(({ eb, or }) =>
              or([eb('record.operation', 'is', null), eb('record.operation', '<>', 'update')]),
            ),
          )
          .as(status),
      ),
    )
    .select(({ selectFrom }) =>
      selectFrom('patchbay_bulk_change_records as root')
        .select('root.name')
        .whereRef('root.bulk_change_sid', '=', 'patchbay_bulk_changes.bulk_change_sid')
        .where('root.position', '=', rootPosition)
        .as('name'),
    )
    .select(({ selectFrom }) => [
      // Progress is read each second, and a count would read the rows of all records.
      selectFrom('patchbay_bulk_change_records as changed')
        .select('changed.position')
        .whereRef('changed.bulk_change_sid', '=', 'patchbay_bulk_changes.bulk_change_sid')
        .where('changed.status', '=', 'done')
        .where('changed.changed_values', 'is not', null)
        .limit(1)
        .as('first_replaced'),
      selectFrom('patchbay_bulk_changes as undo')
        .select('undo.bulk_change_sid')
        .whereRef('undo.undoes_sid', '=', 'patchbay_bulk_changes.bulk_change_sid')
        .as('undone_by'),
    ])

type CountedRow = Awaited<ReturnType<ReturnType<typeof selectWithCounts>['executeTakeFirstOrThrow']>>

/** Returns the number of seconds for which a bulk change can be undone. Only updates that have ended can. */
export const getUndoSeconds = (row: CountedRow, now: number): number => {
  const { operation, finished_at, undoes_sid, undone_by, first_replaced } = row
  if (operation !== 'update' || finished_at === null || undoes_sid !== null || undone_by !== null) return 0
  return first_replaced === null ? 0 : Math.max(0, undoSeconds - Math.floor((now - finished_at) / 1000))
}

const toListed = (row: CountedRow): ListedBulkChange => ({
  bulk_change_sid: row.bulk_change_sid,
  kind: row.kind,
  operation: row.operation as ListedBulkChange['operation'],
  name: row.name,
  status: row.status as ListedBulkChange['status'],
  stop_reason: row.stop_reason,
  total: row.total,
  done: Number(row.done),
  failed: Number(row.failed),
  requested_at: toIso(row.requested_at),
  finished_at: row.finished_at === null ? null : toIso(row.finished_at),
  undoes: row.undoes_sid,
  undo_seconds: getUndoSeconds(row, Date.now()),
})

export const listBulkChanges = async (db: Kysely<Tables>, principal: PrincipalSid): Promise<ListedBulkChange[]> => {
  const rows = await selectWithCounts(db, principal)
    .orderBy('requested_at', 'desc')
    .orderBy('bulk_change_sid')
    .limit(maxListed)
    .execute()
  return rows.map(toListed)
}

/** @throws ApiError `not_found` if the principal has not requested it */
export const readBulkChange = async (
  db: Kysely<Tables>,
  principal: PrincipalSid,
  bulk_change_sid: string,
): Promise<BulkChange> => {
  const row = await selectWithCounts(db, principal).where('bulk_change_sid', '=', bulk_change_sid).executeTakeFirst()
  if (row === undefined) return throwApiError('not_found')
  const failures = await db
    .selectFrom('patchbay_bulk_change_records')
    .select(['record_sid', 'name', 'reason', 'kind'])
    .where('bulk_change_sid', '=', bulk_change_sid)
    .where('status', '=', 'failed')
    .orderBy('position')
    .limit(maxListedBulkFailures)
    .execute()
  return {
    ...toListed(row),
    failures: failures.map(({ record_sid, name, reason, kind }) => ({
      kind: kind ?? row.kind,
      sid: record_sid,
      name,
      reason: reason ?? '',
    })),
  }
}

/** Columns of a bulk change that has ended. */
export const toEnded = (
  status: 'finished' | 'canceled' | 'stopped',
  now: number,
  stop_reason: string | null = null,
) => ({
  status,
  stop_reason,
  finished_at: now,
  due_at: null,
  ...noLease,
})

/**
 * Cancels a bulk change. The process that works on it loses its lease, and cannot change another record. Does nothing if
 * the bulk change has ended.
 * @throws ApiError `not_found` if the principal has not requested it
 */
export const cancelBulkChange = async (
  { trx }: WriteTransaction,
  principal: PrincipalSid,
  bulk_change_sid: string,
): Promise<void> => {
  const own = selectOfPrincipal(trx, principal).select('status').where('bulk_change_sid', '=', bulk_change_sid)
  if ((await own.executeTakeFirst()) === undefined) throwApiError('not_found')
  await trx
    .updateTable('patchbay_bulk_changes')
    .set(toEnded('canceled', Date.now()))
    .where('bulk_change_sid', '=', bulk_change_sid)
    .where('status', '=', 'running')
    .execute()
}
