import { randomUUID } from 'node:crypto'
import type { Owner } from '@patchbay/contract/api/access'
import { throwApiError } from '@patchbay/contract/api/errors'
import type { LcrRoute, LcrRouteChange, NewLcrRoute } from '@patchbay/contract/lcr-routes'
import { lcrRouteTable } from '@patchbay/contract/lcr-routes/record'
import type { Kysely } from 'kysely'
import { type Database, lockForUpdate } from '../../../database/engine.ts'
import { prepared } from '../../../database/prepared-query.ts'
import type { Tables } from '../../../database/tables.ts'
import type { WriteTransaction } from '../../../database/write-transaction.ts'
import { deleteRecord } from '../../shared/delete-records.ts'
import { getLcrOwner } from '../lcr-owner.ts'

/** SQL of the routes of an outbound routing table (docs/reference/platform-api/outbound-routing.md#routes). */

/**
 * Selects routes with their carriers in one query, so that a concurrent replacement is seen completely or not at all.
 */
const selectRoutes = (db: Kysely<Tables>) =>
  db
    .selectFrom('lcr_routes')
    .leftJoin('lcr_carrier_set_entry as entry', 'entry.lcr_route_sid', 'lcr_routes.lcr_route_sid')
    .select([
      'lcr_routes.lcr_route_sid',
      'lcr_routes.lcr_sid',
      'lcr_routes.regex',
      'lcr_routes.description',
      'lcr_routes.priority',
      'entry.lcr_carrier_set_entry_sid',
      'entry.voip_carrier_sid',
      'entry.workload',
      'entry.priority as entry_priority',
    ])
    .orderBy('lcr_routes.priority')
    .orderBy('lcr_routes.lcr_route_sid')
    .orderBy('entry.priority')
    .orderBy('entry.lcr_carrier_set_entry_sid')

type Row = Awaited<ReturnType<ReturnType<typeof selectRoutes>['executeTakeFirstOrThrow']>>

const groupRoutes = (rows: readonly Row[]): LcrRoute[] => {
  const routes = new Map<string, LcrRoute>()
  for (const { lcr_carrier_set_entry_sid, voip_carrier_sid, workload, entry_priority, ...route } of rows) {
    const { lcr_route_sid } = route
    const storedRoute = routes.get(lcr_route_sid) ?? { ...route, lcr_carrier_set_entries: [] }
    routes.set(lcr_route_sid, storedRoute)
    if (lcr_carrier_set_entry_sid === null || voip_carrier_sid === null) continue
    storedRoute.lcr_carrier_set_entries.push({
      lcr_carrier_set_entry_sid,
      lcr_route_sid,
      voip_carrier_sid,
      workload: workload ?? 1,
      priority: entry_priority ?? 0,
    })
  }
  return [...routes.values()]
}

export const createLcrRouteStore = ({ db, reader }: Database) => {
  const ofLcr = prepared(reader, (sid: string) => selectRoutes(reader).where('lcr_routes.lcr_sid', '=', sid))
  const one = prepared(db, (sid: string) => selectRoutes(db).where('lcr_routes.lcr_route_sid', '=', sid))
  return {
    ofLcr: async (lcr_sid: string): Promise<LcrRoute[]> => groupRoutes(await ofLcr(lcr_sid)),
    read: async (lcr_route_sid: string): Promise<LcrRoute | undefined> => groupRoutes(await one(lcr_route_sid))[0],
  }
}

/** Returns the routes as seen by a transaction. */
export const findRoutes = async (db: Kysely<Tables>, lcr_sid: string): Promise<LcrRoute[]> =>
  groupRoutes(await selectRoutes(db).where('lcr_routes.lcr_sid', '=', lcr_sid).execute())

/** Returns the routing table of a route, and locks it. */
export const lockLcrOfRoute = async ({ trx, engine }: WriteTransaction, lcr_route_sid: string) =>
  (await lockForUpdate(
    engine,
    trx
      .selectFrom('lcr')
      .innerJoin('lcr_routes', 'lcr_routes.lcr_sid', 'lcr.lcr_sid')
      .select(['lcr.lcr_sid', 'lcr.default_carrier_set_entry_sid', 'lcr.account_sid', 'lcr.service_provider_sid'])
      .where('lcr_routes.lcr_route_sid', '=', lcr_route_sid),
  ).executeTakeFirst()) ?? throwApiError('not_found')

const readRoute = async ({ trx }: WriteTransaction, lcr_route_sid: string): Promise<LcrRoute> =>
  groupRoutes(await selectRoutes(trx).where('lcr_routes.lcr_route_sid', '=', lcr_route_sid).execute())[0] ??
  throwApiError('not_found')

/** Adds a route to a routing table with the given owner. */
export const addLcrRoute = async (write: WriteTransaction, route: NewLcrRoute, owner: Owner): Promise<string> => {
  const lcr_route_sid = randomUUID()
  const after = { ...route, description: route.description ?? null, lcr_route_sid }
  await write.trx.insertInto('lcr_routes').values(after).execute()
  const { regex: name } = route
  write.record({ action: 'create', kind: 'lcr_route', sid: lcr_route_sid, name, owner, before: null, after })
  return lcr_route_sid
}

export const changeLcrRoute = async (
  write: WriteTransaction,
  lcr_route_sid: string,
  changes: LcrRouteChange,
): Promise<void> => {
  const owner = getLcrOwner(await lockLcrOfRoute(write, lcr_route_sid))
  const before = await readRoute(write, lcr_route_sid)
  if (Object.keys(changes).length > 0)
    await write.trx.updateTable('lcr_routes').set(changes).where('lcr_route_sid', '=', lcr_route_sid).execute()
  const after = { ...before, ...changes }
  const { regex: name } = after
  write.record({ action: 'update', kind: 'lcr_route', sid: lcr_route_sid, name, owner, before, after })
}

/** Deletes a route with its carriers. */
export const removeLcrRoute = async (write: WriteTransaction, lcr_route_sid: string): Promise<void> => {
  const { default_carrier_set_entry_sid, ...lcr } = await lockLcrOfRoute(write, lcr_route_sid)
  const before = await readRoute(write, lcr_route_sid)
  const isDefault = before.lcr_carrier_set_entries.some(
    (entry) => entry.lcr_carrier_set_entry_sid === default_carrier_set_entry_sid,
  )
  if (isDefault) throwApiError('default_route_not_deletable')
  await deleteRecord(write, lcrRouteTable, lcr_route_sid)
  const { regex: name } = before
  const owner = getLcrOwner(lcr)
  write.record({ action: 'delete', kind: 'lcr_route', sid: lcr_route_sid, name, owner, before, after: null })
}
