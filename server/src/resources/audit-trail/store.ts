import type { Actor } from '@patchbay/contract/api/access'
import type { AuditChange, AuditEntry, ReferencedRecord } from '@patchbay/contract/audit-trail'
import { toPeriodBounds } from '@patchbay/contract/lists/page-query'
import { maxAuditEntries } from '@patchbay/contract/shared/audit'
import { type ExpressionBuilder, sql } from 'kysely'
import { auditEntries, momentToMs, toMoment } from '../../database/audit-tables.ts'
import { contains, type Database, type EngineName } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import { containsEnd } from '../shared/list-pages.ts'
import { findReferencedRecords } from './referenced-records.ts'
import { type AuditQuery, findProviders, findStartOfNewest, isTableFaster } from './scan-order.ts'

/** Queries of the audit trail. */

/**
 * @param readsTable compares the provider in an expression, so that the database reads the table in its order, and not
 *   each entry through the index of providers
 */
const createFilter =
  (engine: EngineName, actor: Actor, query: AuditQuery, readsTable: boolean) =>
  (where: ExpressionBuilder<{ entry: Tables['patchbay_audit_trail'] }, 'entry'>) => {
    const { action, kind, sid, actor_sid, account_sid, filter } = query
    const { after, from, until } = toPeriodBounds(query)
    const exactMatches = { action, kind, sid, actor_sid, account_sid }
    const providerColumn = readsTable ? where.fn.coalesce('service_provider_sid', sql.lit('')) : 'service_provider_sid'
    return where.and([
      ...findProviders(actor, query).map((provider) => where(providerColumn, '=', provider)),
      ...Object.entries(exactMatches).flatMap(([column, value]) =>
        value === undefined ? [] : [where(column as keyof typeof exactMatches, '=', value)],
      ),
      ...(after === undefined ? [] : [where('moment', '>=', toMoment(after + 1))]),
      ...(from === undefined ? [] : [where('moment', '>=', toMoment(from))]),
      ...(until === undefined ? [] : [where('moment', '<', toMoment(until + 1))]),
      ...(filter
        ? [
            where.or([
              contains(engine, 'name', filter),
              contains(engine, 'actor_name', filter),
              where('sid', '=', filter),
              // Readers cannot search by addresses and request ids that they may not see.
              where.and([
                ...(actor.scope === 'admin' ? [] : [where('actor_scope', '!=', 'admin')]),
                where.or([where('address', '=', filter), where('request_id', '=', filter)]),
              ]),
            ]),
          ]
        : []),
    ])
  }

/**
 * Converts a row for the reader. Service providers see what an admin changed in their scope, but not the admin's
 * address and request id.
 */
const toEntry = ({ moment, changes, sid, address, request_id, ...row }: AuditRow, actor: Actor): AuditEntry => {
  const isAdminEntry = row.actor_scope === 'admin' && actor.scope !== 'admin'
  return {
    ...(row as Omit<AuditEntry, 'entry_sid' | 'at' | 'changes' | 'sid' | 'address' | 'request_id'>),
    // A denied request may name a resource of another tenant.
    sid: row.kind === 'request' && actor.scope !== 'admin' ? null : sid,
    entry_sid: String(moment),
    at: new Date(momentToMs(moment)).toISOString(),
    changes: JSON.parse(changes) as AuditChange[],
    address: isAdminEntry ? null : address,
    request_id: isAdminEntry ? null : request_id,
  }
}

/** Selects the keys of the entries that the actor may see and the query matches. */
export const selectMatching = ({ searcher, engine }: Database, actor: Actor, query: AuditQuery, readsTable: boolean) =>
  auditEntries(searcher, engine)
    .where(createFilter(engine, actor, query, readsTable))
    .select('moment')

/**
 * Finds the keys of a page. An index contains them if the search has no filters but the provider. Otherwise, the newest
 * entries are read first. If they do not fill the page, all entries are read in the order of the table, which takes two
 * thirds of the time of the reverse order.
 */
const selectKeys = async (
  database: Database,
  actor: Actor,
  query: AuditQuery,
  readsTable: boolean,
): Promise<number[]> => {
  const size = Number(query.count)
  const page = selectMatching(database, actor, query, readsTable)
    .limit(size)
    .offset((Number(query.page) - 1) * size)
  const newestFirst = page.orderBy('moment', 'desc')
  const start = readsTable ? await findStartOfNewest(database, query) : undefined
  const newest = await (start === undefined ? newestFirst : newestFirst.where('moment', '>=', start)).execute()
  const rows =
    start === undefined || newest.length === size ? newest : await page.orderBy(sql`moment + 0`, 'desc').execute()
  return rows.map(({ moment }) => moment)
}

const selectEntries = ({ searcher, engine }: Database, moments: readonly number[]) =>
  auditEntries(searcher, engine).where('moment', 'in', moments).selectAll().orderBy('moment', 'desc').execute()

type AuditRow = Awaited<ReturnType<typeof selectEntries>>[number]

const countMatching = async (
  database: Database,
  actor: Actor,
  query: AuditQuery,
  readsTable: boolean,
): Promise<number> => {
  const matches = selectMatching(database, actor, query, readsTable).limit(maxAuditEntries)
  const { total } = await database.searcher
    .selectFrom(matches.as('some'))
    .select((select) => select.fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}

interface AuditPage {
  total: number
  entries: AuditEntry[]
  referencedRecords: ReferencedRecord[]
}

/**
 * Returns a page of the entries that the actor may see, newest first, their total count, and the names of the records
 * to which they refer. A page that is not full is the last one, so that the matches of a search, which may read the whole
 * trail, need not be counted.
 */
export const searchAuditTrail = async (database: Database, actor: Actor, query: AuditQuery): Promise<AuditPage> => {
  const size = Number(query.count)
  const offset = (Number(query.page) - 1) * size
  const readsTable = await isTableFaster(database, actor, query)
  const moments = offset >= maxAuditEntries ? [] : await selectKeys(database, actor, query, readsTable)
  const total = containsEnd(moments.length, size, offset)
    ? Math.min(offset + moments.length, maxAuditEntries)
    : await countMatching(database, actor, query, readsTable)
  const rows = moments.length === 0 ? [] : await selectEntries(database, moments)
  const entries = rows.map((row) => toEntry(row, actor))
  return { total, entries, referencedRecords: await findReferencedRecords(database, actor, entries) }
}
