import { api } from '../../../api/client.ts'
import { config } from '../../../api/configuration.ts'
import { changedMembers } from '../../../form/changed-members.ts'
import { isSame } from '../../../form/merge-values.ts'
import type { SavePart } from '../../../form/save-in-parts.ts'
import { queryClient } from '../../../api/query-client.ts'
import { lcrQuery, routesQuery } from '../queries.ts'
import {
  assignStoredSids,
  toDefaultRoutePayload,
  isDefault,
  type LcrValues,
  type PlacedRoute,
  toOwnerPayload,
  toRoutesPayload,
  toSettingsPayload,
  type StoredLcr,
  toFormValues,
} from './lcr-form.ts'

/**
 * Saves an outbound routing. A server with the `whole-lcrs` extension accepts the routing with its routes in one atomic
 * request. Otherwise the routing is saved first, followed by the routes that have changed.
 */

const canSaveTogether = (): boolean => config().extensions.has('whole-lcrs')

/** Reads the routing and its routes, bypassing the query cache. */
export const readLcr = async (lcr_sid: string): Promise<StoredLcr> => {
  const [lcr, routes] = await Promise.all([
    queryClient.fetchQuery({ ...lcrQuery(lcr_sid), staleTime: 0 }),
    queryClient.fetchQuery({ ...routesQuery(lcr_sid), staleTime: 0 }),
  ])
  return { lcr, routes }
}

/** Removes the priorities, which the server derives from the order. */
const withoutPriorities = ({ priority: _place, lcr_carrier_set_entries, ...route }: PlacedRoute) => ({
  ...route,
  lcr_carrier_set_entries: lcr_carrier_set_entries.map(({ priority: _priority, ...entry }) => entry),
})

const toCombinedPayload = (values: LcrValues, stored: StoredLcr['routes']) => ({
  ...toSettingsPayload(values),
  default_voip_carrier_sid: values.default_voip_carrier_sid,
  routes: toRoutesPayload(values, stored).map(withoutPriorities),
})

/** Keeps each request below the body limit of the server, which is 100 kB. */
const routeBatchSize = 100

const toBatches = <Item>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / routeBatchSize) }, (_, at) =>
    items.slice(at * routeBatchSize, (at + 1) * routeBatchSize),
  )

const routeParts = (lcr_sid: string, method: 'POST' | 'PUT', routes: readonly PlacedRoute[]): SavePart[] => {
  const all = toBatches(routes)
  return all.map((body, at) => ({
    what: all.length === 1 ? 'routes' : `routes (part ${at + 1} of ${all.length})`,
    save: () =>
      method === 'POST'
        ? api('POST /Lcrs/:lcr_sid/Routes', { params: { lcr_sid }, body })
        : api('PUT /Lcrs/:lcr_sid/Routes', { params: { lcr_sid }, body }, { once: true }),
  }))
}

/** Creates the routing and returns its SID. Without the `whole-lcrs` extension, the routes are created separately. */
export const createLcr = async (values: LcrValues, service_provider_sid: string): Promise<string> => {
  const owner = toOwnerPayload(values, service_provider_sid)
  const { sid } = canSaveTogether()
    ? await api('POST /patchbay/lcrs', { body: { ...toCombinedPayload(values, []), ...owner } })
    : await api('POST /Lcrs', { body: { ...toSettingsPayload(values), ...owner } })
  return sid
}

/** A part that needs no request. It names the routing in the list of saved parts. */
const routingCreated: SavePart = { what: 'outbound routing', save: () => Promise.resolve() }

/** Returns the parts that remain to be saved after the creation of a routing. */
export const partsAfterCreation = (lcr_sid: string, values: LcrValues): SavePart[] =>
  canSaveTogether()
    ? []
    : [
        routingCreated,
        ...routeParts(lcr_sid, 'POST', [...toRoutesPayload(values, []), toDefaultRoutePayload(values, undefined)]),
      ]

/** Returns the parts that are still missing after a creation that failed in part. */
export const partsToFinish = (stored: StoredLcr, values: LcrValues): SavePart[] => {
  const routes = assignStoredSids(values.routes, toFormValues(stored).routes)
  return toSaveParts(stored, { ...values, routes }).parts
}

const isUnchangedIn =
  ({ routes }: StoredLcr) =>
  (payload: PlacedRoute): boolean => {
    const stored = routes.find(({ lcr_route_sid }) => lcr_route_sid === payload.lcr_route_sid)
    if (stored === undefined || stored.regex !== payload.regex || stored.priority !== payload.priority) return false
    return stored.lcr_carrier_set_entries[0]?.voip_carrier_sid === payload.lcr_carrier_set_entries[0]?.voip_carrier_sid
  }

/** Deletes the stored routes that the form does not contain. These include routes that another user has added since. */
const removalParts = ({ lcr, routes }: StoredLcr, values: LcrValues): SavePart[] => {
  const formRouteSids = new Set(values.routes.map(({ lcr_route_sid }) => lcr_route_sid))
  const isDefaultRoute = isDefault(lcr)
  return routes
    .filter((route) => !isDefaultRoute(route) && !formRouteSids.has(route.lcr_route_sid))
    .map(({ lcr_route_sid, regex }) => ({
      what: `the removal of route ${regex}`,
      save: () => api('DELETE /LcrRoutes/:lcr_route_sid', { params: { lcr_route_sid } }),
    }))
}

/** The routes may need several requests, so `changesRoutes` tells whether the success message mentions them. */
export interface LcrParts {
  parts: SavePart[]
  changesRoutes: boolean
}

/** Returns the requests that bring the stored routing in line with the form. */
export const toSaveParts = (stored: StoredLcr, values: LcrValues): LcrParts => {
  const { lcr_sid } = stored.lcr
  const before = toFormValues(stored)
  const defaultRoute = stored.routes.find(isDefault(stored.lcr))
  const changedRoutes = toRoutesPayload(values, stored.routes).filter((route) => !isUnchangedIn(stored)(route))
  const removals = removalParts(stored, values)
  const changesRoutes = changedRoutes.length > 0 || removals.length > 0
  if (canSaveTogether()) {
    const save = () =>
      api('PUT /patchbay/lcrs/:lcr_sid', { params: { lcr_sid }, body: toCombinedPayload(values, stored.routes) })
    const isUnchanged = isSame(values, before) && !changesRoutes
    return { parts: isUnchanged ? [] : [{ what: 'outbound routing', save }], changesRoutes }
  }
  const body = changedMembers(toSettingsPayload(values), toSettingsPayload(before))
  const save = () => api('PUT /Lcrs/:lcr_sid', { params: { lcr_sid }, body })
  const isDefaultUnchanged = values.default_voip_carrier_sid === before.default_voip_carrier_sid
  const defaultRouteChanges = isDefaultUnchanged ? [] : [toDefaultRoutePayload(values, defaultRoute)]
  return {
    parts: [
      ...(Object.keys(body).length > 0 ? [{ what: 'outbound routing', save }] : []),
      ...routeParts(lcr_sid, 'PUT', [...changedRoutes, ...defaultRouteChanges]),
      ...removals,
    ],
    changesRoutes,
  }
}
