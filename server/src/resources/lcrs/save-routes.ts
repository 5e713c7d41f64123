import type { Owner } from '@patchbay/contract/access'
import { throwInvalid } from '@patchbay/contract/errors'
import type { LcrRoute } from '@patchbay/contract/lcr-routes'
import type { LcrRouteInput, WholeLcrChange } from '@patchbay/contract/lcrs'
import { defaultRoutePriority, prioritized, systemDefaultRoute } from '@patchbay/contract/routing/outbound'
import { randomUUID } from 'node:crypto'
import { insertIgnoringDuplicates } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { deleteRoutes } from '../shared/delete-routing.ts'
import { findRoutes } from './routes/store.ts'
import { ownerOfLcr } from './resolve-owner.ts'
import type { LockedLcr } from './lock-lcr.ts'
import { checkCarriers, canUseCarriers } from './usable-carriers.ts'

/** Many routes of an outbound routing with their carriers at once (api/2-telephony.md §9.6). */

type Entry = NonNullable<LcrRouteInput['lcr_carrier_set_entries']>[number] & { voip_carrier_sid: string }
type Route = Omit<LcrRouteInput, 'lcr_carrier_set_entries'> & { lcr_carrier_set_entries: Entry[] }

/** All of them, before anything is written. */
const checked = async (write: WriteTransaction, owner: Owner, sent: readonly LcrRouteInput[]): Promise<Route[]> => {
  const routes = sent.map(({ lcr_carrier_set_entries = [], ...route }) => {
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

/** Sids of what is made: new ones, unless those that are sent may stay. */
interface Sids {
  route(sent: string | null | undefined): string
  entry(sent: string | null | undefined): string
}
const newSids: Sids = { route: () => randomUUID(), entry: () => randomUUID() }

const entriesOf = (lcr_route_sid: string, entries: readonly Entry[], sids: Sids) =>
  entries.map(({ lcr_carrier_set_entry_sid, voip_carrier_sid, workload = 1, priority = 0 }) => ({
    lcr_carrier_set_entry_sid: sids.entry(lcr_carrier_set_entry_sid),
    lcr_route_sid,
    voip_carrier_sid,
    workload,
    priority,
  }))

/** The rows of a route that is made. */
const rowsOf = (lcr_sid: string, route: Route, sids: Sids): LcrRoute => {
  const { regex, description = null, priority } = route
  if (regex === undefined) return throwInvalid('missing field regex', 'regex')
  if (priority === undefined) return throwInvalid('missing field priority', 'priority')
  const lcr_route_sid = sids.route(route.lcr_route_sid)
  const lcr_carrier_set_entries = entriesOf(lcr_route_sid, route.lcr_carrier_set_entries, sids)
  return { lcr_route_sid, lcr_sid, regex, description, priority, lcr_carrier_set_entries }
}

/** In lots: a list may be long. */
const insertRoutes = async ({ trx, engine }: WriteTransaction, made: readonly LcrRoute[]): Promise<void> => {
  const rows = made.map(({ lcr_carrier_set_entries: _entries, ...row }) => row)
  await insertIgnoringDuplicates(trx, engine, 'lcr_routes', rows)
  const entries = made.flatMap((route) => route.lcr_carrier_set_entries)
  await insertIgnoringDuplicates(trx, engine, 'lcr_carrier_set_entry', entries)
}

/** What is not sent of it stays. */
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
  const entries = entriesOf(lcr_route_sid, added, newSids)
  await insertIgnoringDuplicates(write.trx, write.engine, 'lcr_carrier_set_entry', entries)
}

const setDefault = async (
  { trx }: WriteTransaction,
  lcr_sid: string,
  default_carrier_set_entry_sid: string,
): Promise<void> => {
  await trx.updateTable('lcr').set({ default_carrier_set_entry_sid }).where('lcr_sid', '=', lcr_sid).execute()
}

/** Adds routes, or changes those that a `change` names; others stay. The last one made with priority 9999 is the default. */
export const saveRoutes = async (
  write: WriteTransaction,
  lcr: LockedLcr,
  sent: readonly LcrRouteInput[],
  how: 'add' | 'change',
): Promise<void> => {
  const { lcr_sid } = lcr
  const routes = await checked(write, ownerOfLcr(lcr), sent)
  const stood = await findRoutes(write.trx, lcr_sid)
  const known = new Map(stood.map((route) => [route.lcr_route_sid, route]))
  const made: LcrRoute[] = []
  for (const route of routes) {
    if (how === 'add' || !route.lcr_route_sid) made.push(rowsOf(lcr_sid, route, newSids))
    else {
      const stored = known.get(route.lcr_route_sid) ?? throwInvalid('unknown lcr_route_sid', 'lcr_route_sid')
      await changeRoute(write, stored, route)
    }
  }
  await insertRoutes(write, made)
  const defaultRoute = made.findLast(({ priority }) => priority === defaultRoutePriority)
  const entry = defaultRoute?.lcr_carrier_set_entries.at(-1)?.lcr_carrier_set_entry_sid
  if (entry !== undefined) await setDefault(write, lcr_sid, entry)
  const after = { ...lcr, ...(entry === undefined ? {} : { default_carrier_set_entry_sid: entry }) }
  write.record({
    action: 'update',
    kind: 'lcr',
    sid: lcr_sid,
    before: { ...lcr, routes: stood },
    after: { ...after, routes: await findRoutes(write.trx, lcr_sid) },
  })
}

/** Those that stood keep their sids, each once. */
const keeping = (stood: readonly string[]) => {
  const free = new Set(stood)
  return (sent: string | null | undefined): string => (sent && free.delete(sent) ? sent : randomUUID())
}

/**
 * The routes are then exactly these, each with the priority of its place, and behind them the default one. Answers the
 * routing as it is after it. `stood`: those that there are
 */
export const replaceRoutes = async (
  write: WriteTransaction,
  lcr: LockedLcr,
  stood: readonly LcrRoute[],
  { routes, default_voip_carrier_sid }: Pick<WholeLcrChange, 'routes' | 'default_voip_carrier_sid'>,
): Promise<LockedLcr & { routes: LcrRoute[] }> => {
  const { lcr_sid } = lcr
  const owner = ownerOfLcr(lcr)
  if (routes.some(({ regex = '' }) => regex.trim() === '')) throwInvalid('regex must not be empty', 'regex')
  if (!(await canUseCarriers(write, owner, [default_voip_carrier_sid])))
    throwInvalid('unknown default_voip_carrier_sid', 'default_voip_carrier_sid')
  const entries = stood.flatMap((route) => route.lcr_carrier_set_entries)
  const sids = {
    route: keeping(stood.map(({ lcr_route_sid }) => lcr_route_sid)),
    entry: keeping(entries.map(({ lcr_carrier_set_entry_sid }) => lcr_carrier_set_entry_sid)),
  }
  // First, so that no other takes its sids.
  const defaultRoute = rowsOf(lcr_sid, defaultFrom(lcr, entries, default_voip_carrier_sid), sids)
  const listed = prioritized(await checked(write, owner, routes)).map((route) =>
    rowsOf(lcr_sid, { ...route, lcr_carrier_set_entries: prioritized(route.lcr_carrier_set_entries) }, sids),
  )
  await deleteRoutes(write, [lcr_sid])
  await insertRoutes(write, [...listed, defaultRoute])
  const [entry] = defaultRoute.lcr_carrier_set_entries
  const default_carrier_set_entry_sid = entry?.lcr_carrier_set_entry_sid ?? null
  if (default_carrier_set_entry_sid) await setDefault(write, lcr_sid, default_carrier_set_entry_sid)
  return { ...lcr, default_carrier_set_entry_sid, routes: await findRoutes(write.trx, lcr_sid) }
}

/** The default route in place of the one that there is. */
const defaultFrom = (lcr: LockedLcr, entries: LcrRoute['lcr_carrier_set_entries'], voip_carrier_sid: string): Route => {
  const { default_carrier_set_entry_sid } = lcr
  const entry = entries.find(({ lcr_carrier_set_entry_sid: sid }) => sid === default_carrier_set_entry_sid)
  return {
    ...systemDefaultRoute,
    lcr_route_sid: entry?.lcr_route_sid,
    lcr_carrier_set_entries: [{ lcr_carrier_set_entry_sid: default_carrier_set_entry_sid, voip_carrier_sid }],
  }
}
