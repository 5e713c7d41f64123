import { type Actor, can, type Owner } from '@patchbay/contract/api/access'
import { findReferencedTable, type NamedTable } from '@patchbay/contract/api/record-tables'
import { type AuditEntry, maxReferencedRecords, type ReferencedRecord } from '@patchbay/contract/audit-trail'
import { type Kysely, sql } from 'kysely'
import { type OwnedRow, ownedRows, toOwner } from '../../auth/owner-lookup.ts'
import { auditEntries } from '../../database/audit-tables.ts'
import type { Database } from '../../database/engine.ts'
import { platformTables } from '../../database/platform-schema.ts'
import type { Tables } from '../../database/tables.ts'

/** Finds the names of the records to whose SIDs the changes of audit entries refer. */

const toKind = ({ key }: NamedTable): string => key.replace(/_sid$/, '')

/** Outbound routes belong to a routing and are known by their position in it, so they are not named. */
const namesOwner = ({ table }: NamedTable): boolean =>
  'service_provider_sid' in platformTables[table as keyof typeof platformTables].columns

/** Returns the SIDs in the changes by the table of the records. Those of the first entries, if there are many. */
const findReferencedSids = (entries: readonly AuditEntry[]): ReadonlyMap<NamedTable, ReadonlySet<string>> => {
  const sids = new Map<NamedTable, Set<string>>()
  let count = 0
  for (const { field, before, after } of entries.flatMap(({ changes }) => changes)) {
    const table = findReferencedTable(field)
    if (table === undefined || !namesOwner(table)) continue
    for (const value of [before, after]) {
      if (typeof value !== 'string' || sids.get(table)?.has(value) || count === maxReferencedRecords) continue
      sids.set(table, (sids.get(table) ?? new Set()).add(value))
      count += 1
    }
  }
  return sids
}

/** Selects all rows of a table with the columns that determine their owners. */
const selectOwnedRows = (db: Kysely<Tables>, table: string) =>
  table === 'service_providers'
    ? db
        .selectFrom('service_providers as record')
        .select(({ lit }) => [lit(null).as('account_sid'), 'record.service_provider_sid as own_provider'])
    : ownedRows(db, table as 'applications')

/** The provider does not own the outbound routing of its accounts (server/src/auth/owner-lookup.ts). */
const findOwner = ({ table }: NamedTable, { account_sid, own_provider, provider_of_account }: OwnedRow): Owner =>
  toOwner({ account_sid, own_provider, provider_of_account: table === 'lcr' ? null : provider_of_account })

const readRows = (db: Kysely<Tables>, { table, key, name }: NamedTable, sids: ReadonlySet<string>) =>
  // The compiler needs a single table, which represents all of them.
  (selectOwnedRows(db, table) as ReturnType<typeof ownedRows>)
    .select([sql.ref<string>(`record.${key}`).as('sid'), sql.ref<string | null>(`record.${name}`).as('name')])
    .where(sql.ref(`record.${key}`), 'in', [...sids])
    .execute()

/** Returns the deleted records with the names that the trail has recorded, of those entries that the actor may see. */
const readDeleted = async (
  { searcher, engine }: Database,
  actor: Actor,
  missing: ReadonlyMap<string, string>,
): Promise<ReferencedRecord[]> => {
  if (missing.size === 0) return []
  const deletions = await auditEntries(searcher, engine)
    .select(['kind', 'sid', 'name', 'account_sid', 'service_provider_sid'])
    .where('sid', 'in', [...missing.keys()])
    .where('action', '=', 'delete')
    .execute()
  return deletions.flatMap(({ kind, sid, name, account_sid, service_provider_sid }) =>
    sid && name && missing.get(sid) === kind && can(actor, 'read', { account_sid, service_provider_sid })
      ? [{ kind, sid, name, is_deleted: true }]
      : [],
  )
}

/**
 * Returns the names of the records to which the entries refer, if the actor may see them. Runs at most one query for
 * each kind of record, and one for the deleted records.
 */
export const findReferencedRecords = async (
  database: Database,
  actor: Actor,
  entries: readonly AuditEntry[],
): Promise<ReferencedRecord[]> => {
  const present: ReferencedRecord[] = []
  /** The kinds of the records that do not exist, by their SIDs. */
  const missing = new Map<string, string>()
  for (const [table, sids] of findReferencedSids(entries)) {
    const kind = toKind(table)
    for (const sid of sids) missing.set(sid, kind)
    for (const row of await readRows(database.searcher, table, sids)) {
      const { sid, name } = row
      missing.delete(sid)
      if (name && can(actor, 'read', findOwner(table, row))) present.push({ kind, sid, name, is_deleted: false })
    }
  }
  return [...present, ...(await readDeleted(database, actor, missing))]
}
