import type { Owner } from '@patchbay/contract/access'
import { throwInvalid, throwApiError } from '@patchbay/contract/errors'
import type { LcrRoute, LcrRouteChange, NewLcrRoute } from '@patchbay/contract/lcr-routes'
import type { Kysely } from 'kysely'
import { randomUUID } from 'node:crypto'
import { type Database, lockForUpdate } from '../../../database/engine.ts'
import { prepared } from '../../../database/prepared-query.ts'
import type { Tables } from '../../../database/tables.ts'
import type { WriteTransaction } from '../../../database/write-transaction.ts'
import { ownerOfLcr } from '../resolve-owner.ts'

/** All SQL of the routes of an outbound routing (api/2-telephony.md §10, §16). */

/** In one query, so that whoever reads while they are replaced sees the old ones or the new ones. */
const rowsOf = (db: Kysely<Tables>) =>
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

type Row = Awaited<ReturnType<ReturnType<typeof rowsOf>['executeTakeFirstOrThrow']>>

const routesIn = (rows: readonly Row[]): LcrRoute[] => {
  const routes = new Map<string, LcrRoute>()
  for (const { lcr_carrier_set_entry_sid, voip_carrier_sid, workload, entry_priority, ...route } of rows) {
    const { lcr_route_sid } = route
    const known = routes.get(lcr_route_sid) ?? { ...route, lcr_carrier_set_entries: [] }
    routes.set(lcr_route_sid, known)
    if (lcr_carrier_set_entry_sid === null || voip_carrier_sid === null) continue
    known.lcr_carrier_set_entries.push({
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
  const ofLcr = prepared(reader, (sid: string) => rowsOf(reader).where('lcr_routes.lcr_sid', '=', sid))
  const one = prepared(db, (sid: string) => rowsOf(db).where('lcr_routes.lcr_route_sid', '=', sid))
  return {
    ofLcr: async (lcr_sid: string): Promise<LcrRoute[]> => routesIn(await ofLcr(lcr_sid)),
    read: async (lcr_route_sid: string): Promise<LcrRoute | undefined> => routesIn(await one(lcr_route_sid))[0],
  }
}

/** As they stand in a transaction. */
export const findRoutes = async (db: Kysely<Tables>, lcr_sid: string): Promise<LcrRoute[]> =>
  routesIn(await rowsOf(db).where('lcr_routes.lcr_sid', '=', lcr_sid).execute())

/** What a route belongs to; one change of it all at a time. */
export const lcrOfRoute = async ({ trx, engine }: WriteTransaction, lcr_route_sid: string) =>
  (await lockForUpdate(
    engine,
    trx
      .selectFrom('lcr')
      .innerJoin('lcr_routes', 'lcr_routes.lcr_sid', 'lcr.lcr_sid')
      .select(['lcr.lcr_sid', 'lcr.default_carrier_set_entry_sid', 'lcr.account_sid', 'lcr.service_provider_sid'])
      .where('lcr_routes.lcr_route_sid', '=', lcr_route_sid),
  ).executeTakeFirst()) ?? throwApiError('not_found')

const readRoute = async ({ trx }: WriteTransaction, lcr_route_sid: string): Promise<LcrRoute> =>
  routesIn(await rowsOf(trx).where('lcr_routes.lcr_route_sid', '=', lcr_route_sid).execute())[0] ??
  throwApiError('not_found')

/** `owner`: of the routing */
export const addLcrRoute = async (write: WriteTransaction, sent: NewLcrRoute, owner: Owner): Promise<string> => {
  const lcr_route_sid = randomUUID()
  const after = { ...sent, description: sent.description ?? null, lcr_route_sid }
  await write.trx.insertInto('lcr_routes').values(after).execute()
  const { regex: name } = sent
  write.record({ action: 'create', kind: 'lcr_route', sid: lcr_route_sid, name, owner, before: null, after })
  return lcr_route_sid
}

export const changeLcrRoute = async (
  write: WriteTransaction,
  lcr_route_sid: string,
  { lcr_sid, ...sent }: LcrRouteChange,
): Promise<void> => {
  const owner = ownerOfLcr(await lcrOfRoute(write, lcr_route_sid))
  const before = await readRoute(write, lcr_route_sid)
  if (lcr_sid && lcr_sid !== before.lcr_sid) throwInvalid('lcr_sid may not be modified', 'lcr_sid')
  if (Object.keys(sent).length > 0)
    await write.trx.updateTable('lcr_routes').set(sent).where('lcr_route_sid', '=', lcr_route_sid).execute()
  const after = { ...before, ...sent }
  const { regex: name } = after
  write.record({ action: 'update', kind: 'lcr_route', sid: lcr_route_sid, name, owner, before, after })
}

/** With its carriers. */
export const removeLcrRoute = async (write: WriteTransaction, lcr_route_sid: string): Promise<void> => {
  const { trx } = write
  const { default_carrier_set_entry_sid, ...lcr } = await lcrOfRoute(write, lcr_route_sid)
  const before = await readRoute(write, lcr_route_sid)
  const isDefault = before.lcr_carrier_set_entries.some(
    (entry) => entry.lcr_carrier_set_entry_sid === default_carrier_set_entry_sid,
  )
  if (isDefault) throwApiError('default_route_stays')
  await trx.deleteFrom('lcr_carrier_set_entry').where('lcr_route_sid', '=', lcr_route_sid).execute()
  await trx.deleteFrom('lcr_routes').where('lcr_route_sid', '=', lcr_route_sid).execute()
  const { regex: name } = before
  const owner = ownerOfLcr(lcr)
  write.record({ action: 'delete', kind: 'lcr_route', sid: lcr_route_sid, name, owner, before, after: null })
}
