import type { Actor } from '@patchbay/contract/api/access'
import type { QueryOutput } from '@patchbay/contract/api/endpoint'
import type { auditTrailEndpoints } from '@patchbay/contract/audit-trail'
import { toPeriodBounds } from '@patchbay/contract/lists/page-query'
import { type Kysely, sql } from 'kysely'
import { toMoment } from '../../database/audit-tables.ts'
import type { Database } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'

/**
 * Decides how a search reads the audit trail. Reading an entry through the index of providers takes five times as long
 * as reading it in the order of the table, so the index is only faster for providers with few of the entries.
 */

export type AuditQuery = QueryOutput<(typeof auditTrailEndpoints)['GET /patchbay/audit-trail']>

/** Entries that a search reads before all others. */
const newestEntries = 5000
/** The samples are spread over the whole period of the trail, because a single import can write the newest entries. */
const samples = 10
const entriesPerSample = 100
/** Share of the entries from which the order of the table is faster than the index. */
const minShare = 0.2

/** Returns the providers to which the actor or the query limits the entries. */
export const findProviders = (actor: Actor, { service_provider_sid }: AuditQuery): string[] => [
  ...(actor.scope === 'admin' ? [] : [actor.service_provider_sid ?? '']),
  ...(service_provider_sid === undefined ? [] : [service_provider_sid]),
]

const hasLargeShare = async (db: Kysely<Tables>, providers: readonly string[]): Promise<boolean> => {
  const trail = db.selectFrom('patchbay_audit_trail')
  // SQLite reads the whole table if one query asks for both.
  const { moment: first } = await trail.select(({ fn }) => fn.min('moment').as('moment')).executeTakeFirstOrThrow()
  const { moment: last } = await trail.select(({ fn }) => fn.max('moment').as('moment')).executeTakeFirstOrThrow()
  const sampleFrom = (sample: number) => {
    const start = Math.floor(first + ((last - first) * sample) / samples)
    const entries = trail
      .select('service_provider_sid')
      .where('moment', '>=', start)
      .orderBy('moment')
      .limit(entriesPerSample)
    return db.selectFrom(entries.as('sample')).select('service_provider_sid')
  }
  const others = Array.from({ length: samples - 1 }, (_, sample) => sampleFrom(sample + 1))
  const all = others.reduce((union, sample) => union.unionAll(sample), sampleFrom(0))
  const { matching, total } = await db
    .selectFrom(all.as('entry'))
    .select(({ fn }) => [
      fn.countAll<number | string>().as('total'),
      sql<number | string>`COUNT(CASE WHEN service_provider_sid IN (${sql.join(providers)}) THEN 1 END)`.as('matching'),
    ])
    .executeTakeFirstOrThrow()
  return Number(matching) >= Number(total) * minShare
}

/** Returns whether a search should read the entries in the order of the table. */
export const isTableFaster = async ({ searcher }: Database, actor: Actor, query: AuditQuery): Promise<boolean> => {
  const { action, kind, actor_sid, filter, sid, account_sid } = query
  const readsEntries = [action, kind, actor_sid].some((value) => value !== undefined) || Boolean(filter)
  if (!readsEntries || sid !== undefined || account_sid !== undefined) return false
  const providers = findProviders(actor, query)
  return providers.length === 0 || hasLargeShare(searcher, providers)
}

/** Returns the key of the oldest of the newest entries of the period, or undefined if the period has fewer entries. */
export const findStartOfNewest = async ({ searcher }: Database, query: AuditQuery): Promise<number | undefined> => {
  const { until } = toPeriodBounds(query)
  const row = await searcher
    .selectFrom('patchbay_audit_trail')
    .select('moment')
    .$if(until !== undefined, (entries) => entries.where('moment', '<', toMoment((until ?? 0) + 1)))
    .orderBy('moment', 'desc')
    .limit(1)
    .offset(newestEntries)
    .executeTakeFirst()
  return row?.moment
}
