import { sql } from 'kysely'
import type { Database } from '../../database/engine.ts'
import { createIdCondition, deleteAllRows } from './delete-rows.ts'
import type { DeletedCall, DeletedRows } from './deletion.ts'

/** Deletes what is stored of calls in tables that do not name an account. */

/** The ids under which details of calls are stored, without those that calls of other tenants have too. */
export interface DetailIds {
  trace_ids: ReadonlySet<string>
  call_sids: ReadonlySet<string>
  sip_callids: ReadonlySet<string>
}

const toSet = (ids: readonly (string | null)[]): Set<string> => new Set(ids.flatMap((id) => id || []))

/** Returns the ids of calls. */
export const listDetailIds = (calls: readonly DeletedCall[]): DetailIds => ({
  trace_ids: toSet(calls.flatMap(({ trace_id }) => [trace_id, trace_id?.toLowerCase() ?? null])),
  call_sids: toSet(calls.map(({ call_sid }) => call_sid)),
  sip_callids: toSet(calls.flatMap(({ sip_callid, sip_parent_callid }) => [sip_callid, sip_parent_callid])),
})

const subtract = (ids: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...ids].filter((id) => !others.has(id)))

/** Returns the ids that are not among others. */
const withoutIds = (ids: DetailIds, others: DetailIds): DetailIds => ({
  trace_ids: subtract(ids.trace_ids, others.trace_ids),
  call_sids: subtract(ids.call_sids, others.call_sids),
  sip_callids: subtract(ids.sip_callids, others.sip_callids),
})

/** Finds the ids that calls of other accounts in a store have. */
export type FindForeignIds = (account_sid: string, ids: DetailIds) => Promise<DetailIds>

/**
 * Returns the ids of an account's calls, and of the traces of other programs that name only them, without those that
 * calls of other accounts have too.
 */
export const findOwnIds = async (
  database: Database,
  account_sid: string,
  all: DetailIds,
  findForeignIds: FindForeignIds,
): Promise<DetailIds> => {
  const ids = withoutIds(all, await findForeignIds(account_sid, all))
  const linked = { ...noIds, trace_ids: new Set(await findLinkedTraces(database, ids)) }
  const ownLinked = withoutIds(linked, await findForeignIds(account_sid, linked))
  return { ...ids, trace_ids: new Set([...ids.trace_ids, ...ownLinked.trace_ids]) }
}

const noIds: DetailIds = { trace_ids: new Set(), call_sids: new Set(), sip_callids: new Set() }

/** Finds the ids that calls of other accounts in the database have. */
export const createForeignIdSearch =
  ({ db }: Database): FindForeignIds =>
  async (account_sid, ids) => {
    const find = async (
      column: 'trace_id' | 'call_sid' | 'sip_callid' | 'sip_parent_callid',
      own: ReadonlySet<string>,
    ) => {
      if (own.size === 0) return []
      const rows = await db
        .selectFrom('patchbay_calls')
        .select(`${column} as id`)
        .distinct()
        .where(column, 'in', [...own])
        .where('account_sid', '!=', account_sid)
        .execute()
      return rows.map(({ id }) => id)
    }
    const traces = await find('trace_id', ids.trace_ids)
    return {
      trace_ids: toSet(traces.flatMap((id) => [id, id?.toLowerCase() ?? null])),
      call_sids: toSet(await find('call_sid', ids.call_sids)),
      sip_callids: toSet([
        ...(await find('sip_callid', ids.sip_callids)),
        ...(await find('sip_parent_callid', ids.sip_callids)),
      ]),
    }
  }

/** Returns the traces of other programs that name these calls, and no others. */
const findLinkedTraces = async ({ db }: Database, { call_sids, sip_callids }: DetailIds): Promise<string[]> => {
  const call_ids = [...call_sids, ...sip_callids]
  if (call_ids.length === 0) return []
  const linked = await db
    .selectFrom('patchbay_trace_links')
    .select('trace_id')
    .distinct()
    .where('call_id', 'in', call_ids)
    .execute()
  if (linked.length === 0) return []
  const trace_ids = linked.map(({ trace_id }) => trace_id)
  const links = await db
    .selectFrom('patchbay_trace_links')
    .select('trace_id')
    .distinct()
    .where('trace_id', 'in', trace_ids)
    .where('call_id', 'not in', call_ids)
    .execute()
  const shared = new Set(links.map(({ trace_id }) => trace_id))
  return trace_ids.filter((trace_id) => !shared.has(trace_id))
}

const batchSize = 500

/** Deletes the spans, log lines, and captured SIP of ids in the database. */
export const deleteDetails = async (
  database: Database,
  { trace_ids, call_sids, sip_callids }: DetailIds,
): Promise<DeletedRows> => ({
  traces: await deleteAllRows(database, 'patchbay_trace_parts', createIdCondition('trace_id', trace_ids), batchSize),
  logs: await deleteAllRows(
    database,
    'patchbay_log_parts',
    createIdCondition('call_id', [...call_sids, ...sip_callids]),
    batchSize,
  ),
  captures: await deleteAllRows(
    database,
    'patchbay_sip_messages',
    createIdCondition('sip_callid', sip_callids),
    batchSize,
  ),
})

/**
 * Deletes what only the database stores of calls, whatever stores their records.
 * @param own the calls of the account, also those that other accounts have too
 */
export const deleteReferences = async (
  database: Database,
  account_sid: string,
  own: ReadonlySet<string>,
  { call_sids, sip_callids }: DetailIds,
): Promise<void> => {
  const call_ids = createIdCondition('call_id', [...call_sids, ...sip_callids])
  await deleteAllRows(database, 'patchbay_trace_links', call_ids, batchSize)
  await deleteAllRows(database, 'patchbay_sip_marks', createIdCondition('sip_callid', sip_callids), batchSize)
  await deleteAllRows(database, 'patchbay_call_delays', createIdCondition('call_sid', call_sids), batchSize)
  const ofAccount = sql<boolean>`account_sid = ${account_sid} AND ${createIdCondition('call_sid', own)}`
  // Their own times can be on the day after the call.
  for (const table of ['patchbay_agent_events', 'patchbay_voice_activities'] as const)
    await deleteAllRows(database, table, ofAccount, batchSize)
}
