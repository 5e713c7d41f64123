import type { Actor } from '@patchbay/contract/access'
import type { AuditChange, AuditEntry, auditTrailEndpoints } from '@patchbay/contract/audit-trail'
import type { QueryOutput } from '@patchbay/contract/endpoint'
import { maxAuditEntries } from '@patchbay/contract/shared/audit'
import { toPeriodBounds } from '@patchbay/contract/lists/page-query'
import type { ExpressionBuilder } from 'kysely'
import { auditEntries, momentToMs, toMoment } from '../../database/audit-tables.ts'
import { contains, type Database, type EngineName } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import { containsEnd } from '../shared/list-pages.ts'

/** Queries of the audit trail. */

type Query = QueryOutput<(typeof auditTrailEndpoints)['GET /patchbay/audit-trail']>

const createFilter =
  (engine: EngineName, actor: Actor, query: Query) =>
  (where: ExpressionBuilder<{ entry: Tables['patchbay_audit_trail'] }, 'entry'>) => {
    const { action, kind, sid, actor_sid, account_sid, service_provider_sid, filter } = query
    const { after, from, until } = toPeriodBounds(query)
    const exactMatches = { action, kind, sid, actor_sid, account_sid, service_provider_sid }
    return where.and([
      ...(actor.scope === 'admin' ? [] : [where('service_provider_sid', '=', actor.service_provider_sid ?? '')]),
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

const selectMatching = ({ searcher, engine }: Database, actor: Actor, query: Query) =>
  auditEntries(searcher, engine).where(createFilter(engine, actor, query))

/** Finds the keys of a page. An index contains them if the search has no filters but the provider. */
const selectKeys = async (database: Database, actor: Actor, query: Query): Promise<number[]> => {
  const size = Number(query.count)
  const rows = await selectMatching(database, actor, query)
    .select('moment')
    .orderBy('moment', 'desc')
    .limit(size)
    .offset((Number(query.page) - 1) * size)
    .execute()
  return rows.map(({ moment }) => moment)
}

const selectEntries = ({ searcher, engine }: Database, moments: readonly number[]) =>
  auditEntries(searcher, engine).where('moment', 'in', moments).selectAll().orderBy('moment', 'desc').execute()

type AuditRow = Awaited<ReturnType<typeof selectEntries>>[number]

const countMatching = async (database: Database, actor: Actor, query: Query): Promise<number> => {
  const matches = selectMatching(database, actor, query).select('moment').limit(maxAuditEntries)
  const { total } = await database.searcher
    .selectFrom(matches.as('some'))
    .select((select) => select.fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}

/**
 * Returns a page of the entries that the actor may see, newest first, and their total count. A page that is not full is
 * the last one, so that the matches of a search, which may read the whole trail, need not be counted.
 */
export const searchAuditTrail = async (
  database: Database,
  actor: Actor,
  query: Query,
): Promise<{ total: number; entries: AuditEntry[] }> => {
  const size = Number(query.count)
  const offset = (Number(query.page) - 1) * size
  const moments = offset >= maxAuditEntries ? [] : await selectKeys(database, actor, query)
  const total = containsEnd(moments.length, size, offset)
    ? Math.min(offset + moments.length, maxAuditEntries)
    : await countMatching(database, actor, query)
  const rows = moments.length === 0 ? [] : await selectEntries(database, moments)
  return { total, entries: rows.map((row) => toEntry(row, actor)) }
}
