import { randomUUID } from 'node:crypto'
import type { Owner } from '@patchbay/contract/api/access'
import { throwInvalid } from '@patchbay/contract/api/errors'
import type { LcrRoute } from '@patchbay/contract/lcr-routes'
import type { LcrRouteInput, WholeLcrChange } from '@patchbay/contract/lcrs'
import { lcrTable } from '@patchbay/contract/lcrs/record'
import { defaultRoutePriority, prioritized, systemDefaultRoute } from '@patchbay/rules/routing/outbound'
import { insertIgnoringDuplicates } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { deleteDependents } from '../shared/delete-records.ts'
import { getLcrOwner } from './lcr-owner.ts'
import type { LockedLcr } from './lock-lcr.ts'
import { findRoutes } from './routes/store.ts'
import { canUseCarriers, checkCarriers } from './usable-carriers.ts'

/**
 * Changes of several routes of an outbound routing table with their carriers
 * (docs/reference/platform-api/outbound-routing.md#save-the-routes-of-a-routing).
 */

type Entry = NonNullable<LcrRouteInput['lcr_carrier_set_entries']>[number] & { voip_carrier_sid: string }
type Route = Omit<LcrRouteInput, 'lcr_carrier_set_entries'> & { lcr_carrier_set_entries: Entry[] }

/** Validates all routes before any is written. */
const validateRoutes = async (
  write: WriteTransaction,
  owner: Owner,
  input: readonly LcrRouteInput[],
): Promise<Route[]> => {
  const routes = input.map(({ lcr_carrier_set_entries = [], ...route }) => {
    if (lcr_carrier_set_entries.length === 0)
      throwInvalid('Lcr Route batch process require lcr_carrier_set_entries', 'lcr_carrier_set_entries')
    const entries = lcr_carrier_set_entries.map(({ voip_carrier_sid, ...entry }) => ({
      ...entry,
      voip_carrier_sid:
        voip_carrier_sid ||
        throwInvalid('One of lcr_carrier_set_entries is missing voip_carrier_sid', 'lcr_carrier_set_entries'),
    }))
    return { ...route, lcr_carrier_set_entries: entries }
  })
  const carriers = routes.flatMap((route) => route.lcr_carrier_set_entries.map((entry) => entry.voip_carrier_sid))
  await checkCarriers(write, owner, carriers)
  return routes
}

/** Source of the sids of inserted rows: new ones, or requested ones if they may be reused. */
interface Sids {
  route(requested: string | null | undefined): string
  entry(requested: string | null | undefined): string
}
const newSids: Sids = { route: () => randomUUID(), entry: () => randomUUID() }

const toEntryRows = (lcr_route_sid: string, entries: readonly Entry[], sids: Sids) =>
  entries.map(({ lcr_carrier_set_entry_sid, voip_carrier_sid, workload = 1, priority = 0 }) => ({
    lcr_carrier_set_entry_sid: sids.entry(lcr_carrier_set_entry_sid),
    lcr_route_sid,
    voip_carrier_sid,
    workload,
    priority,
  }))

/** Returns the rows of a new route. */
const toRouteRows = (lcr_sid: string, route: Route, sids: Sids): LcrRoute => {
  const { regex, description = null, priority } = route
  if (regex === undefined) return throwInvalid('missing field regex', 'regex')
  if (priority === undefined) return throwInvalid('missing field priority', 'priority')
  const lcr_route_sid = sids.route(route.lcr_route_sid)
  const lcr_carrier_set_entries = toEntryRows(lcr_route_sid, route.lcr_carrier_set_entries, sids)
  return { lcr_route_sid, lcr_sid, regex, description, priority, lcr_carrier_set_entries }
}

/** Inserts routes in batches. */
const insertRoutes = async ({ trx, engine }: WriteTransaction, newRoutes: readonly LcrRoute[]): Promise<void> => {
  const rows = newRoutes.map(({ lcr_carrier_set_entries: _entries, ...row }) => row)
  await insertIgnoringDuplicates(trx, engine, 'lcr_routes', rows)
  const entries = newRoutes.flatMap((route) => route.lcr_carrier_set_entries)
  await insertIgnoringDuplicates(trx, engine, 'lcr_carrier_set_entry', entries)
}

/** Changes a carrier of a route. Absent fields remain unchanged. */
const changeEntry = async ({ trx }: WriteTransaction, stored: LcrRoute, sid: string, entry: Entry): Promise<void> => {
  if (!stored.lcr_carrier_set_entries.some(({ lcr_carrier_set_entry_sid }) => lcr_carrier_set_entry_sid === sid))
    throwInvalid('unknown lcr_carrier_set_entry_sid', 'lcr_carrier_set_entry_sid')
  const { voip_carrier_sid, workload, priority } = entry
  await trx
    .updateTable('lcr_carrier_set_entry')
    .set({
      voip_carrier_sid,
      ...(workload === undefined ? {} : { workload }),
      ...(priority === undefined ? {} : { priority }),
    })
    .where('lcr_carrier_set_entry_sid', '=', sid)
    .execute()
}

const changeRoute = async (write: WriteTransaction, stored: LcrRoute, route: Route): Promise<void> => {
  const { lcr_route_sid } = stored
  const { regex = stored.regex, description = stored.description, priority = stored.priority } = route
  await write.trx
    .updateTable('lcr_routes')
    .set({ regex, description, priority })
    .where('lcr_route_sid', '=', lcr_route_sid)
    .execute()
  const added = route.lcr_carrier_set_entries.filter((entry) => !entry.lcr_carrier_set_entry_sid)
  for (const entry of route.lcr_carrier_set_entries)
    if (entry.lcr_carrier_set_entry_sid) await changeEntry(write, stored, entry.lcr_carrier_set_entry_sid, entry)
  const entries = toEntryRows(lcr_route_sid, added, newSids)
  await insertIgnoringDuplicates(write.trx, write.engine, 'lcr_carrier_set_entry', entries)
}

const setDefault = async (
  { trx }: WriteTransaction,
  lcr_sid: string,
  default_carrier_set_entry_sid: string,
): Promise<void> => {
  await trx.updateTable('lcr').set({ default_carrier_set_entry_sid }).where('lcr_sid', '=', lcr_sid).execute()
}

/**
 * Adds routes, or changes existing ones. Other routes remain unchanged. The last new route with priority 9999 becomes
 * the default.
 */
export const saveRoutes = async (
  write: WriteTransaction,
  lcr: LockedLcr,
  input: readonly LcrRouteInput[],
  mode: 'add' | 'change',
): Promise<void> => {
  const { lcr_sid } = lcr
  const routes = await validateRoutes(write, getLcrOwner(lcr), input)
  const previousRoutes = await findRoutes(write.trx, lcr_sid)
  const routesBySid = new Map(previousRoutes.map((route) => [route.lcr_route_sid, route]))
  const newRoutes: LcrRoute[] = []
  for (const route of routes) {
    if (mode === 'add' || !route.lcr_route_sid) newRoutes.push(toRouteRows(lcr_sid, route, newSids))
    else {
      const stored = routesBySid.get(route.lcr_route_sid) ?? throwInvalid('unknown lcr_route_sid', 'lcr_route_sid')
      await changeRoute(write, stored, route)
    }
  }
  await insertRoutes(write, newRoutes)
  const defaultRoute = newRoutes.findLast(({ priority }) => priority === defaultRoutePriority)
  const entry = defaultRoute?.lcr_carrier_set_entries.at(-1)?.lcr_carrier_set_entry_sid
  if (entry !== undefined) await setDefault(write, lcr_sid, entry)
  const after = { ...lcr, ...(entry === undefined ? {} : { default_carrier_set_entry_sid: entry }) }
  write.record({
    action: 'update',
    kind: 'lcr',
    sid: lcr_sid,
    before: { ...lcr, routes: previousRoutes },
    after: { ...after, routes: await findRoutes(write.trx, lcr_sid) },
  })
}

/** Returns a function that reuses each existing sid at most once and otherwise returns a new one. */
const createSidReuser = (existingSids: readonly string[]) => {
  const unusedSids = new Set(existingSids)
  return (requested: string | null | undefined): string =>
    requested && unusedSids.delete(requested) ? requested : randomUUID()
}

/**
 * Replaces all routes of a table. Each route gets the priority of its position, and the default route comes last.
 * Returns the table after the change.
 *
 * @param previousRoutes the existing routes
 */
export const replaceRoutes = async (
  write: WriteTransaction,
  lcr: LockedLcr,
  previousRoutes: readonly LcrRoute[],
  { routes, default_voip_carrier_sid }: Pick<WholeLcrChange, 'routes' | 'default_voip_carrier_sid'>,
): Promise<LockedLcr & { routes: LcrRoute[] }> => {
  const { lcr_sid } = lcr
  const owner = getLcrOwner(lcr)
  if (routes.some(({ regex = '' }) => regex.trim() === '')) throwInvalid('regex must not be empty', 'regex')
  if (!(await canUseCarriers(write, owner, [default_voip_carrier_sid])))
    throwInvalid('unknown default_voip_carrier_sid', 'default_voip_carrier_sid')
  const entries = previousRoutes.flatMap((route) => route.lcr_carrier_set_entries)
  const sids = {
    route: createSidReuser(previousRoutes.map(({ lcr_route_sid }) => lcr_route_sid)),
    entry: createSidReuser(entries.map(({ lcr_carrier_set_entry_sid }) => lcr_carrier_set_entry_sid)),
  }
  // The default route comes first, so that no other route reuses its sids.
  const defaultRoute = toRouteRows(lcr_sid, buildDefaultRoute(lcr, entries, default_voip_carrier_sid), sids)
  const numberedRoutes = prioritized(await validateRoutes(write, owner, routes)).map((route) =>
    toRouteRows(lcr_sid, { ...route, lcr_carrier_set_entries: prioritized(route.lcr_carrier_set_entries) }, sids),
  )
  await deleteDependents(write, lcrTable, [lcr_sid])
  await insertRoutes(write, [...numberedRoutes, defaultRoute])
  const [entry] = defaultRoute.lcr_carrier_set_entries
  const default_carrier_set_entry_sid = entry?.lcr_carrier_set_entry_sid ?? null
  if (default_carrier_set_entry_sid) await setDefault(write, lcr_sid, default_carrier_set_entry_sid)
  return { ...lcr, default_carrier_set_entry_sid, routes: await findRoutes(write.trx, lcr_sid) }
}

/** Builds the default route with the sids of the current one. */
const buildDefaultRoute = (
  lcr: LockedLcr,
  entries: LcrRoute['lcr_carrier_set_entries'],
  voip_carrier_sid: string,
): Route => {
  const { default_carrier_set_entry_sid } = lcr
  const entry = entries.find(({ lcr_carrier_set_entry_sid: sid }) => sid === default_carrier_set_entry_sid)
  return {
    ...systemDefaultRoute,
    lcr_route_sid: entry?.lcr_route_sid,
    lcr_carrier_set_entries: [{ lcr_carrier_set_entry_sid: default_carrier_set_entry_sid, voip_carrier_sid }],
  }
}
