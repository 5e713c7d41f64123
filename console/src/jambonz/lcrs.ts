import type { LcrRoute } from '@patchbay/contract/lcr-routes'
import { separateDefaultRoute } from '@patchbay/rules/routing/outbound'
import { chunk } from '../api/batches.ts'
import { type Answer, api, type CallOptions } from '../api/client.ts'
import { changedMembers } from '../form/changed-members.ts'
import { type SavePart, saveInParts } from '../form/save-in-parts.ts'
import { assignStoredSids, firstCarrier, type PlacedRoute, toDefaultRoute, toPlacedRoutes } from './routes.ts'

/** Reads an outbound routing and its routes. Saves the routing first, and then the routes that have changed. */

const readParts = async (lcr_sid: string, options: CallOptions) => {
  const [lcr, routes] = await Promise.all([
    api('GET /Lcrs/:lcr_sid', { params: { lcr_sid } }, options),
    api('GET /LcrRoutes', { query: { lcr_sid } }, options),
  ])
  return { lcr, ...separateDefaultRoute(lcr, routes) }
}

export const readLcr: Answer<'GET /patchbay/lcrs/:lcr_sid'> = async ({ params }, options) => {
  const { lcr, routes, default_voip_carrier_sid } = await readParts(params.lcr_sid, options)
  return { ...lcr, routes, default_voip_carrier_sid }
}

/** Keeps each request below the body limit of jambonz, which is 100 kB. */
const routeBatchSize = 100

const routeParts = (lcr_sid: string, method: 'POST' | 'PUT', routes: readonly PlacedRoute[]): SavePart[] => {
  const all = chunk(routes, routeBatchSize)
  return all.map((body, at) => ({
    what: all.length === 1 ? 'routes' : `routes (part ${at + 1} of ${all.length})`,
    save: () =>
      method === 'POST'
        ? api('POST /Lcrs/:lcr_sid/Routes', { params: { lcr_sid }, body })
        : api('PUT /Lcrs/:lcr_sid/Routes', { params: { lcr_sid }, body }, { once: true }),
  }))
}

/** A part that needs no request. It names the routing in the list of saved parts. */
const routingCreated: SavePart = { what: 'outbound routing', save: () => Promise.resolve() }

export const createLcr: Answer<'POST /patchbay/lcrs'> = async ({ body }, options) => {
  const { routes, default_voip_carrier_sid, ...settings } = body
  const { sid } = await api('POST /Lcrs', { body: settings }, options)
  const all = [...toPlacedRoutes(routes, []), toDefaultRoute(default_voip_carrier_sid, undefined)]
  await saveInParts([routingCreated, ...routeParts(sid, 'POST', all)], { sid })
  return { sid }
}

const isUnchangedIn =
  (stored: readonly LcrRoute[]) =>
  (route: PlacedRoute): boolean =>
    stored.some(
      (one) =>
        one.lcr_route_sid === route.lcr_route_sid &&
        one.regex === route.regex &&
        one.priority === route.priority &&
        firstCarrier(one) === firstCarrier(route),
    )

/** Saves what differs from the stored routing. Stored routes that the request does not contain are deleted. */
export const changeLcr: Answer<'PUT /patchbay/lcrs/:lcr_sid'> = async ({ params: { lcr_sid }, body }, options) => {
  const { routes, default_voip_carrier_sid, name = null, is_active } = body
  const { lcr, routes: stored, defaultRoute } = await readParts(lcr_sid, options)
  const ordered = toPlacedRoutes(assignStoredSids(routes, stored), stored)
  const sids = new Set(ordered.map(({ lcr_route_sid }) => lcr_route_sid))
  const settings = changedMembers(
    { name, is_active: Boolean(is_active) },
    { name: lcr.name, is_active: Boolean(lcr.is_active) },
  )
  const isDefaultUnchanged = defaultRoute !== undefined && firstCarrier(defaultRoute) === default_voip_carrier_sid
  await saveInParts([
    ...(Object.keys(settings).length > 0
      ? [{ what: 'outbound routing', save: () => api('PUT /Lcrs/:lcr_sid', { params: { lcr_sid }, body: settings }) }]
      : []),
    ...routeParts(lcr_sid, 'PUT', [
      ...ordered.filter((route) => !isUnchangedIn(stored)(route)),
      ...(isDefaultUnchanged ? [] : [toDefaultRoute(default_voip_carrier_sid, defaultRoute)]),
    ]),
    ...stored
      .filter(({ lcr_route_sid }) => !sids.has(lcr_route_sid))
      .map(({ lcr_route_sid, regex }) => ({
        what: `the removal of route ${regex}`,
        save: () => api('DELETE /LcrRoutes/:lcr_route_sid', { params: { lcr_route_sid } }),
      })),
  ])
}
