import type { Actor } from '@patchbay/contract/access'
import type { AuditChange, AuditEntry, auditTrailEndpoints } from '@patchbay/contract/audit-trail'
import type { QueryOutput } from '@patchbay/contract/endpoint'
import { maxAuditEntries } from '@patchbay/contract/shared/audit'
import { toPeriodBounds } from '@patchbay/contract/lists/page-query'
import type { ExpressionBuilder } from 'kysely'
import { auditEntries, momentToMs, toMoment } from '../../database/audit-tables.ts'
import { contains, type Database, type EngineName } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'

/** All that is read of the audit trail. */

type Query = QueryOutput<(typeof auditTrailEndpoints)['GET /patchbay/audit-trail']>

const matching =
  (engine: EngineName, actor: Actor, query: Query) =>
  (where: ExpressionBuilder<{ entry: Tables['patchbay_audit_trail'] }, 'entry'>) => {
    const { action, kind, sid, actor_sid, account_sid, service_provider_sid, filter } = query
    const { after, from, until } = toPeriodBounds(query)
    const exactly = { action, kind, sid, actor_sid, account_sid, service_provider_sid }
    return where.and([
      ...(actor.scope === 'admin' ? [] : [where('service_provider_sid', '=', actor.service_provider_sid ?? '')]),
      ...Object.entries(exactly).flatMap(([column, value]) =>
        value === undefined ? [] : [where(column as keyof typeof exactly, '=', value)],
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
              // Of whom the reader may not know it, it cannot be found by it.
              where.and([
                ...(actor.scope === 'admin' ? [] : [where('actor_scope', '!=', 'admin')]),
                where.or([where('address', '=', filter), where('request_id', '=', filter)]),
              ]),
            ]),
          ]
        : []),
    ])
  }

/** Providers learn what an admin did to what is theirs, and not from where; and nothing of what is not theirs. */
const shown = ({ moment, changes, sid, address, request_id, ...row }: AuditRow, actor: Actor): AuditEntry => {
  const isAbove = row.actor_scope === 'admin' && actor.scope !== 'admin'
  return {
    ...(row as Omit<AuditEntry, 'entry_sid' | 'at' | 'changes' | 'sid' | 'address' | 'request_id'>),
    // What a request was refused for may be another's.
    sid: row.kind === 'request' && actor.scope !== 'admin' ? null : sid,
    entry_sid: String(moment),
    at: new Date(momentToMs(moment)).toISOString(),
    changes: JSON.parse(changes) as AuditChange[],
    address: isAbove ? null : address,
    request_id: isAbove ? null : request_id,
  }
}

const found = ({ searcher, engine }: Database, actor: Actor, query: Query) =>
  auditEntries(searcher, engine).where(matching(engine, actor, query))

const rowsOf = (database: Database, actor: Actor, query: Query) => {
  const size = Number(query.count)
  return found(database, actor, query)
    .selectAll()
    .orderBy('moment', 'desc')
    .limit(size)
    .offset((Number(query.page) - 1) * size)
    .execute()
}

type AuditRow = Awaited<ReturnType<typeof rowsOf>>[number]

/** What the actor may see, a page of it, newest first. */
export const searchAuditTrail = async (
  database: Database,
  actor: Actor,
  query: Query,
): Promise<{ total: number; entries: AuditEntry[] }> => {
  const some = found(database, actor, query).select('moment').limit(maxAuditEntries)
  const counted = await database.searcher
    .selectFrom(some.as('some'))
    .select((select) => select.fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow()
  const total = Number(counted.total)
  const isPast = (Number(query.page) - 1) * Number(query.count) >= total
  return { total, entries: isPast ? [] : (await rowsOf(database, actor, query)).map((row) => shown(row, actor)) }
}
