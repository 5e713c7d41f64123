import { api } from '../../../api/client.ts'
import { queryClient } from '../../../api/query-client.ts'
import { isSame } from '../../../form/merge-values.ts'
import { lcrQuery, routesQuery } from '../queries.ts'
import {
  isDefault,
  type LcrValues,
  type StoredLcr,
  toFormValues,
  toOwnerPayload,
  toRoutesPayload,
  toSettingsPayload,
} from './lcr-form.ts'

/** Saves an outbound routing with its routes. */

/** Reads the routing and its routes, bypassing the query cache. */
export const readLcr = async (lcr_sid: string): Promise<StoredLcr> => {
  const [lcr, routes] = await Promise.all([
    queryClient.fetchQuery({ ...lcrQuery(lcr_sid), staleTime: 0 }),
    queryClient.fetchQuery({ ...routesQuery(lcr_sid), staleTime: 0 }),
  ])
  return { lcr, routes }
}

type PlacedRoute = ReturnType<typeof toRoutesPayload>[number]

/** Removes the priorities, which the server derives from the order. */
const withoutPriorities = ({ priority: _place, lcr_carrier_set_entries, ...route }: PlacedRoute) => ({
  ...route,
  lcr_carrier_set_entries: lcr_carrier_set_entries.map(({ priority: _priority, ...entry }) => entry),
})

const toPayload = (values: LcrValues, stored: StoredLcr['routes']) => ({
  ...toSettingsPayload(values),
  default_voip_carrier_sid: values.default_voip_carrier_sid,
  routes: toRoutesPayload(values, stored).map(withoutPriorities),
})

/** Creates a routing and returns its SID. */
export const createLcr = async (values: LcrValues, service_provider_sid: string): Promise<string> => {
  const body = { ...toPayload(values, []), ...toOwnerPayload(values, service_provider_sid) }
  return (await api('POST /patchbay/lcrs', { body })).sid
}

/** Replaces a routing and all its routes. */
export const changeLcr = (lcr_sid: string, values: LcrValues, stored: StoredLcr['routes']) =>
  api('PUT /patchbay/lcrs/:lcr_sid', { params: { lcr_sid }, body: toPayload(values, stored) })

const isUnchangedIn =
  (stored: StoredLcr['routes']) =>
  (payload: PlacedRoute): boolean => {
    const route = stored.find(({ lcr_route_sid }) => lcr_route_sid === payload.lcr_route_sid)
    if (route === undefined || route.regex !== payload.regex || route.priority !== payload.priority) return false
    return route.lcr_carrier_set_entries[0]?.voip_carrier_sid === payload.lcr_carrier_set_entries[0]?.voip_carrier_sid
  }

/** Compares the form with the stored routing, and tells changes of routes apart from others. */
export const findChanges = (values: LcrValues, stored: StoredLcr) => {
  const { lcr, routes } = stored
  const sids = new Set(values.routes.map(({ lcr_route_sid }) => lcr_route_sid))
  const isDefaultRoute = isDefault(lcr)
  const changesRoutes =
    !toRoutesPayload(values, routes).every(isUnchangedIn(routes)) ||
    routes.some((route) => !isDefaultRoute(route) && !sids.has(route.lcr_route_sid))
  return { isChanged: changesRoutes || !isSame(values, toFormValues(stored)), changesRoutes }
}
