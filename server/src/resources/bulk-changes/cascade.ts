import { accountTable } from '@patchbay/contract/accounts/record'
import { throwApiError } from '@patchbay/contract/api/errors'
import { maxCascadeRecords } from '@patchbay/contract/bulk-changes/bulk-change-limits'
import { type BulkKindName, type CascadeOwnerKind, cascadeKinds } from '@patchbay/contract/bulk-changes/kinds'
import { bulkChangeLengths } from '@patchbay/contract/bulk-changes/record'
import { kindNoun, recordNoun } from '@patchbay/contract/shared/record-kinds'
import { type Kysely, sql } from 'kysely'
import { BulkStepLostError, bulkLeases, storeBulkOutcome } from '../../database/bulk-steps.ts'
import { inTransaction } from '../../database/engine.ts'
import { belongsTo, canBelongTo } from '../../database/record-owners.ts'
import type { AnyTable, Tables } from '../../database/tables.ts'
import type { BulkMember, RecordOwner } from '../../lib/caller.ts'
import type { Services } from '../services.ts'
import { readUsedElsewhere } from '../shared/used-elsewhere.ts'
import { findRecordTable, type RecordOperation } from './change-record.ts'
import { type BulkChangeRow, insertRecords, rootPosition } from './store.ts'

/**
 * Plans the deletion of an account or a service provider with its contents. The owner is the last record of the bulk
 * change, and the contents are added in parts, kind by kind, until nothing is left but the owner. So records that are
 * created meanwhile are deleted too, and an owner can have any number of them up to a limit.
 */

type Leased = BulkChangeRow & { claim: string }

/** Number of records of a part. */
const partSize = 500

const describeKept = (kind: CascadeOwnerKind, reason: string) => `The ${recordNoun(kind)} was kept, because ${reason}`
const failedContents = 'some of its records could not be deleted'
const describeExcess = (maxRecords: number) => `more than ${maxRecords} records belonged to it`

/** Columns of an account that refer to applications, which could not be deleted before. */
const applicationColumns = Object.entries(accountTable.references)
  .filter(([, { to }]) => to === 'applications')
  .map(([column]) => column)

const requireTable = (kind: BulkKindName) => {
  const { table, nameColumn } = findRecordTable(kind)
  if (table?.key === undefined) throw new Error(`The kind ${kind} has no table`)
  return { table: table.table, key: table.key, nameColumn, declared: table }
}

/** Returns the row that says whether a record still belongs to its owner, or whether the owner still exists. */
export const toMember = (kind: BulkKindName, sid: string, owner: RecordOwner): BulkMember => {
  const { table, key } = requireTable(kind)
  return { table, key, sid, owner }
}

/** Selects the records of a kind of an owner. Call routes have no endpoint, so what they use goes with the account. */
const selectMembers = (db: Kysely<Tables>, kind: BulkKindName, owner: RecordOwner) => {
  const { table } = requireTable(kind)
  const members = db.selectFrom(table as AnyTable).where(belongsTo(table, owner))
  if (kind !== 'application') return members
  return members.where(
    sql<boolean>`not exists (select 1 from call_routes where call_routes.application_sid = applications.application_sid)`,
  )
}

const selectSids = async (
  db: Kysely<Tables>,
  kind: BulkKindName,
  owner: RecordOwner,
  condition = sql<boolean>`1 = 1`,
) => {
  const { key } = requireTable(kind)
  const rows = await selectMembers(db, kind, owner)
    .select(sql.ref<string>(key).as('sid'))
    .where(condition)
    .orderBy(sql.ref(key))
    .limit(partSize)
    .execute()
  return rows.map(({ sid }) => sid)
}

type PlannedRecord = Pick<RecordOperation, 'kind' | 'operation'> & { sid: string }

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

/** Rejects the deletion of the only service provider, without which no account can be created. */
const rejectIfOnly = async (db: Kysely<Tables>, { kind }: RecordOwner): Promise<void> => {
  if (kind !== 'service_provider') return
  const providers = await db.selectFrom('service_providers').select('service_provider_sid').limit(2).execute()
  if (providers.length === 1) throwApiError('cascade_rejected', { msg: 'the only service provider cannot be deleted' })
}

/** @param maxRecords maximum number of records that are deleted with an owner */
export const createCascade = (
  { database, missingSchema }: Pick<Services, 'database' | 'missingSchema'>,
  maxRecords = maxCascadeRecords,
) => {
  const columns = applicationColumns.filter((column) => !missingSchema.has(`accounts.${column}`))
  const references = columns.map((column) => sql`${sql.ref(`accounts.${column}`)} is not null`)
  const usesApplications = sql<boolean>`(${sql.join([sql`1 = 0`, ...references], sql` or `)})`

  const listKinds = (owner: RecordOwner) =>
    cascadeKinds.filter((kind) => {
      const { table, declared } = requireTable(kind)
      return canBelongTo(declared, owner.kind) && !missingSchema.has(table)
    })

  const countMembers = async (db: Kysely<Tables>, owner: RecordOwner): Promise<number> => {
    let total = 0
    for (const kind of listKinds(owner)) {
      const { records } = await selectMembers(db, kind, owner)
        .select(({ fn }) => fn.countAll<number | string>().as('records'))
        .executeTakeFirstOrThrow()
      total += Number(records)
    }
    return total
  }

  /** Returns the records to delete next: some of the first kind of which the owner has any. */
  const selectPart = async (db: Kysely<Tables>, owner: RecordOwner): Promise<PlannedRecord[]> => {
    for (const kind of listKinds(owner)) {
      const sids = await selectSids(db, kind, owner)
      if (sids.length === 0) continue
      // An account can use its applications, and those of other accounts that are deleted with it.
      const using =
        kind === 'application' || kind === 'account' ? await selectSids(db, 'account', owner, usesApplications) : []
      if (using.length > 0) return using.map((sid) => ({ kind: 'account', operation: 'update', sid }))
      return sids.map((sid) => ({ kind, operation: 'delete', sid }))
    }
    return []
  }

  return {
    /** The new values of an account whose applications are deleted next. */
    accountValues: Object.fromEntries(columns.map((column) => [column, null])),

    /**
     * Reads an owner that is to be deleted: its SID as it is stored, its name, and the number of records with it.
     * @throws ApiError if records outside of it use something of it, or if it has too many records
     */
    async readOwner({ kind, sid: requested }: RecordOwner): Promise<{ sid: string; name: string; total: number }> {
      const { db } = database
      const { table, key, nameColumn = key } = requireTable(kind)
      const { sid, name } =
        (await db
          .selectFrom(table as AnyTable)
          .select([sql.ref<string>(key).as('sid'), sql.ref<string>(nameColumn).as('name')])
          .where(sql.ref(key), '=', requested)
          .executeTakeFirst()) ?? throwApiError('not_found')
      const owner = { kind, sid }
      const noun = recordNoun(kind)
      await rejectIfOnly(db, owner)
      const [used] = await readUsedElsewhere(db, owner, missingSchema)
      if (used !== undefined) {
        const what = used.kind === kind ? 'it' : `its ${kindNoun(used.kind)} ${used.name}`
        throwApiError('cascade_rejected', { msg: `records outside of the ${noun} use ${what}` })
      }
      const total = (await countMembers(db, owner)) + 1
      if (total > maxRecords)
        throwApiError('cascade_rejected', {
          msg: `${total} records belong to the ${noun}, of which at most ${maxRecords} are deleted with it. Delete some of them first.`,
        })
      return { sid, name, total }
    },

    /**
     * Adds the next records of the owner before it, or stores that it is kept, if a record could not be deleted.
     * Returns false if nothing is left but the owner.
     * @throws BulkStepLostError if the process has lost the lease
     */
    planNext: (row: Leased, owner: RecordOwner): Promise<boolean> =>
      inTransaction(database, async (trx) => {
        const now = Date.now()
        const { planned, deleted, failed } = await countOutcomes(trx, row)
        const isKept = failed > 0 || planned >= maxRecords
        const part = isKept ? [] : await selectPart(trx, owner)
        const remaining = part.length === 0 ? 0 : await countMembers(trx, owner)
        const extended = { ...bulkLeases.extend(now), total: deleted + failed + remaining + 1 }
        if (!(await bulkLeases.change(trx, row, extended)))
          throw new BulkStepLostError('another process works on the bulk change')
        if (isKept) {
          const step = { bulk_change_sid: row.bulk_change_sid, position: rootPosition, claim: row.claim }
          const reason = describeKept(owner.kind, failed > 0 ? failedContents : describeExcess(maxRecords))
          const outcome = { status: 'failed', reason: reason.slice(0, bulkChangeLengths.reason) } as const
          await storeBulkOutcome(trx, step, outcome, now)
          return true
        }
        const records = part.map(({ sid, ...record }, nth) => ({ ...record, record_sid: sid, position: planned + nth }))
        await insertRecords(trx, row.bulk_change_sid, records)
        return part.length > 0
      }),
  }
}
