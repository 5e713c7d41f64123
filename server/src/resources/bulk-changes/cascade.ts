import { accountTable } from '@patchbay/contract/accounts/record'
import { throwApiError } from '@patchbay/contract/api/errors'
import { maxCascadeRecords } from '@patchbay/contract/bulk-changes/bulk-change-limits'
import { type BulkKindName, cascadeKinds } from '@patchbay/contract/bulk-changes/kinds'
import { bulkChangeLengths } from '@patchbay/contract/bulk-changes/record'
import { kindNoun } from '@patchbay/contract/shared/record-kinds'
import { type Kysely, sql } from 'kysely'
import { BulkStepLostError, bulkLeases, storeBulkOutcome } from '../../database/bulk-steps.ts'
import { inTransaction } from '../../database/engine.ts'
import type { AnyTable, Tables } from '../../database/tables.ts'
import type { BulkMember } from '../../lib/caller.ts'
import type { Services } from '../services.ts'
import { readUsedElsewhere } from '../shared/used-elsewhere.ts'
import { findRecordTable, type RecordOperation } from './change-record.ts'
import { type BulkChangeRow, insertRecords, rootPosition } from './store.ts'

/**
 * Plans the deletion of an account with its contents. The account is the last record of the bulk change, and the
 * contents are added in parts, kind by kind, until nothing is left but the account. So records that are created
 * meanwhile are deleted too, and an account can have any number of them up to a limit.
 */

type Leased = BulkChangeRow & { claim: string }

/** Number of records of a part. */
const partSize = 500

const failedContents = 'The account was kept, because some of its records could not be deleted'
const describeExcess = (maxRecords: number) =>
  `The account was kept, because more than ${maxRecords} records belonged to it`

/** Columns of an account that refer to applications, which could not be deleted before. */
const applicationColumns = Object.entries(accountTable.references)
  .filter(([, { to }]) => to === 'applications')
  .map(([column]) => column)

const requireTable = (kind: BulkKindName) => {
  const { table } = findRecordTable(kind)
  if (table?.key === undefined) throw new Error(`The kind ${kind} has no table`)
  return { table: table.table, key: table.key }
}

/** Returns the row that says whether a record still belongs to the account, or whether the account still exists. */
export const toMember = (kind: BulkKindName, sid: string, account_sid: string): BulkMember => ({
  ...requireTable(kind),
  sid,
  account_sid,
})

/** Selects the records of a kind in an account. Call routes have no endpoint, so what they use goes with the account. */
const selectMembers = (db: Kysely<Tables>, kind: BulkKindName, account_sid: string) => {
  const members = db.selectFrom(requireTable(kind).table as AnyTable).where('account_sid', '=', account_sid)
  if (kind !== 'application') return members
  return members.where(
    sql<boolean>`not exists (select 1 from call_routes where call_routes.application_sid = applications.application_sid)`,
  )
}

const countMembers = async (db: Kysely<Tables>, account_sid: string): Promise<number> => {
  let total = 0
  for (const kind of cascadeKinds) {
    const { records } = await selectMembers(db, kind, account_sid)
      .select(({ fn }) => fn.countAll<number | string>().as('records'))
      .executeTakeFirstOrThrow()
    total += Number(records)
  }
  return total
}

type PlannedRecord = Pick<RecordOperation, 'kind' | 'operation'> & { sid: string }

/** Returns the records to delete next: some of the first kind of which the account has any. */
const selectPart = async (db: Kysely<Tables>, account_sid: string, columns: readonly string[]) => {
  for (const kind of cascadeKinds) {
    const { key } = requireTable(kind)
    const rows = await selectMembers(db, kind, account_sid)
      .select(sql.ref<string>(key).as('sid'))
      .orderBy(sql.ref(key))
      .limit(partSize)
      .execute()
    if (rows.length === 0) continue
    if (kind === 'application' && (await refersToApplications(db, account_sid, columns)))
      return [{ kind: 'account', operation: 'update', sid: account_sid }] satisfies PlannedRecord[]
    return rows.map(({ sid }): PlannedRecord => ({ kind, operation: 'delete', sid }))
  }
  return []
}

const refersToApplications = async (db: Kysely<Tables>, account_sid: string, columns: readonly string[]) => {
  const row = await db
    .selectFrom('accounts')
    .select('account_sid')
    .where('account_sid', '=', account_sid)
    .where(({ or }) => or(columns.map((column) => sql<boolean>`${sql.ref(column)} is not null`)))
    .executeTakeFirst()
  return row !== undefined
}

const countOutcomes = async (db: Kysely<Tables>, { bulk_change_sid }: BulkChangeRow) => {
  const rows = await db
    .selectFrom('patchbay_bulk_change_records')
    .select(['status', 'operation', ({ fn }) => fn.countAll<number | string>().as('records')])
    .where('bulk_change_sid', '=', bulk_change_sid)
    .where('position', '<', rootPosition)
    .groupBy(['status', 'operation'])
    .execute()
  const count = (matches: (row: { status: string; operation: string | null }) => boolean) =>
    rows.filter(matches).reduce((sum, { records }) => sum + Number(records), 0)
  return {
    planned: count(() => true),
    deleted: count(({ status, operation }) => status === 'done' && operation !== 'update'),
    failed: count(({ status }) => status === 'failed'),
  }
}

/** @param maxRecords maximum number of records that are deleted with an account */
export const createCascade = (
  { database, missingSchema }: Pick<Services, 'database' | 'missingSchema'>,
  maxRecords = maxCascadeRecords,
) => {
  const columns = applicationColumns.filter((column) => !missingSchema.has(`accounts.${column}`))
  return {
    /** The new values of an account whose applications are deleted next. */
    accountValues: Object.fromEntries(columns.map((column) => [column, null])),

    /**
     * Reads an account that is to be deleted: its SID as it is stored, its name, and the number of records with it.
     * @throws ApiError if records outside of it use something of it, or if it has too many records
     */
    async readAccount(sid: string): Promise<{ sid: string; name: string | null; total: number }> {
      const { db } = database
      const account =
        (await db
          .selectFrom('accounts')
          .select(['account_sid', 'name'])
          .where('account_sid', '=', sid)
          .executeTakeFirst()) ?? throwApiError('not_found')
      const [used] = await readUsedElsewhere(db, account.account_sid, missingSchema)
      if (used !== undefined)
        throwApiError('account_in_use', {
          msg: `records outside of the account use its ${kindNoun(used.kind)} ${used.name}`,
        })
      const total = (await countMembers(db, account.account_sid)) + 1
      if (total > maxRecords)
        throwApiError('account_in_use', {
          msg: `${total} records belong to the account, of which at most ${maxRecords} are deleted with it. Delete some of them first.`,
        })
      return { sid: account.account_sid, name: account.name, total }
    },

    /**
     * Adds the next records of the account before it, or stores that it is kept, if a record could not be deleted.
     * Returns false if nothing is left but the account.
     * @throws BulkStepLostError if the process has lost the lease
     */
    planNext: (row: Leased, account_sid: string): Promise<boolean> =>
      inTransaction(database, async (trx) => {
        const now = Date.now()
        const { planned, deleted, failed } = await countOutcomes(trx, row)
        const isKept = failed > 0 || planned >= maxRecords
        const part = isKept ? [] : await selectPart(trx, account_sid, columns)
        const remaining = part.length === 0 ? 0 : await countMembers(trx, account_sid)
        const extended = { ...bulkLeases.extend(now), total: deleted + failed + remaining + 1 }
        if (!(await bulkLeases.change(trx, row, extended)))
          throw new BulkStepLostError('another process works on the bulk change')
        if (isKept) {
          const step = { bulk_change_sid: row.bulk_change_sid, position: rootPosition, claim: row.claim }
          const reason = (failed > 0 ? failedContents : describeExcess(maxRecords)).slice(0, bulkChangeLengths.reason)
          await storeBulkOutcome(trx, step, { status: 'failed', reason }, now)
          return true
        }
        const records = part.map(({ sid, ...record }, nth) => ({ ...record, record_sid: sid, position: planned + nth }))
        await insertRecords(trx, row.bulk_change_sid, records)
        return part.length > 0
      }),
  }
}
