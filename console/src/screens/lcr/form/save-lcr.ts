import { api } from '../../../api/client.ts'
import { config } from '../../../api/configuration.ts'
import { changedMembers } from '../../../form/changed-members.ts'
import { isSame } from '../../../form/merge-values.ts'
import type { SavePart } from '../../../form/save-in-parts.ts'
import { queryClient } from '../../../api/query-client.ts'
import { lcrQuery, routesQuery } from '../queries.ts'
import {
  adopted,
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
 * How an outbound routing is saved: on a server that takes it whole in one request, all or nothing; on the wire alone
 * itself first and then its routes, of which only what has changed is sent.
 */

const takesWhole = (): boolean => config().extensions.has('whole-lcrs')

/** Anew, whatever was read before. */
export const readLcr = async (lcr_sid: string): Promise<StoredLcr> => {
  const [lcr, routes] = await Promise.all([
    queryClient.fetchQuery({ ...lcrQuery(lcr_sid), staleTime: 0 }),
    queryClient.fetchQuery({ ...routesQuery(lcr_sid), staleTime: 0 }),
  ])
  return { lcr, routes }
}

/** Without what the server itself gives to each place. */
const unplaced = ({ priority: _place, lcr_carrier_set_entries, ...route }: PlacedRoute) => ({
  ...route,
  lcr_carrier_set_entries: lcr_carrier_set_entries.map(({ priority: _priority, ...entry }) => entry),
})

const wholeOf = (values: LcrValues, stored: StoredLcr['routes']) => ({
  ...toSettingsPayload(values),
  default_voip_carrier_sid: values.default_voip_carrier_sid,
  routes: toRoutesPayload(values, stored).map(unplaced),
})

/** So many routes go into one request: servers take no bodies beyond 100 kB. */
const routeBatchSize = 100

const lots = <Item>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / routeBatchSize) }, (_, at) =>
    items.slice(at * routeBatchSize, (at + 1) * routeBatchSize),
  )

const routeParts = (lcr_sid: string, method: 'POST' | 'PUT', routes: readonly PlacedRoute[]): SavePart[] => {
  const all = lots(routes)
  return all.map((body, at) => ({
    what: all.length === 1 ? 'routes' : `routes (part ${at + 1} of ${all.length})`,
    save: () =>
      method === 'POST'
        ? api('POST /Lcrs/:lcr_sid/Routes', { params: { lcr_sid }, body })
        : api('PUT /Lcrs/:lcr_sid/Routes', { params: { lcr_sid }, body }),
  }))
}

/** Makes it whole; of the wire alone the routing itself, which has no routes yet. */
export const createLcr = async (values: LcrValues, service_provider_sid: string): Promise<string> => {
  const owner = toOwnerPayload(values, service_provider_sid)
  const { sid } = takesWhole()
    ? await api('POST /patchbay/lcrs', { body: { ...wholeOf(values, []), ...owner } })
    : await api('POST /Lcrs', { body: { ...toSettingsPayload(values), ...owner } })
  return sid
}

/** Said with what is saved after it. */
const isMade: SavePart = { what: 'outbound routing', save: () => Promise.resolve() }

/** What a new one still lacks once it is there. */
export const partsAfterCreation = (lcr_sid: string, values: LcrValues): SavePart[] =>
  takesWhole()
    ? []
    : [
        isMade,
        ...routeParts(lcr_sid, 'POST', [...toRoutesPayload(values, []), toDefaultRoutePayload(values, undefined)]),
      ]

/** What it lacks where not all of that was saved. */
export const partsToFinish = (stored: StoredLcr, values: LcrValues): SavePart[] => {
  const routes = adopted(values.routes, toFormValues(stored).routes)
  return toSaveParts(stored, { ...values, routes }).parts
}

const isStoredSo =
  ({ routes }: StoredLcr) =>
  (sent: PlacedRoute): boolean => {
    const stored = routes.find(({ lcr_route_sid }) => lcr_route_sid === sent.lcr_route_sid)
    if (stored === undefined || stored.regex !== sent.regex || stored.priority !== sent.priority) return false
    return stored.lcr_carrier_set_entries[0]?.voip_carrier_sid === sent.lcr_carrier_set_entries[0]?.voip_carrier_sid
  }

/** Those that the list does not hold any more: deleted here, or made by somebody else whose change does not count. */
const removalParts = ({ lcr, routes }: StoredLcr, values: LcrValues): SavePart[] => {
  const kept = new Set(values.routes.map(({ lcr_route_sid }) => lcr_route_sid))
  const isDefaultRoute = isDefault(lcr)
  return routes
    .filter((route) => !isDefaultRoute(route) && !kept.has(route.lcr_route_sid))
    .map(({ lcr_route_sid, regex }) => ({
      what: `the removal of route ${regex}`,
      save: () => api('DELETE /LcrRoutes/:lcr_route_sid', { params: { lcr_route_sid } }),
    }))
}

/** A change of routes comes as one part or as several, that of the routing itself as one. */
export interface LcrParts {
  parts: SavePart[]
  changesRoutes: boolean
}

/** What has to be saved so that what is stored is what the form says. */
export const toSaveParts = (stored: StoredLcr, values: LcrValues): LcrParts => {
  const { lcr_sid } = stored.lcr
  const before = toFormValues(stored)
  const defaultRoute = stored.routes.find(isDefault(stored.lcr))
  const sent = toRoutesPayload(values, stored.routes).filter((route) => !isStoredSo(stored)(route))
  const removals = removalParts(stored, values)
  const changesRoutes = sent.length > 0 || removals.length > 0
  if (takesWhole()) {
    const save = () => api('PUT /patchbay/lcrs/:lcr_sid', { params: { lcr_sid }, body: wholeOf(values, stored.routes) })
    const isUnchanged = isSame(values, before) && !changesRoutes
    return { parts: isUnchanged ? [] : [{ what: 'outbound routing', save }], changesRoutes }
  }
  const body = changedMembers(toSettingsPayload(values), toSettingsPayload(before))
  const save = () => api('PUT /Lcrs/:lcr_sid', { params: { lcr_sid }, body })
  const isOver = values.default_voip_carrier_sid === before.default_voip_carrier_sid
  const others = isOver ? [] : [toDefaultRoutePayload(values, defaultRoute)]
  return {
    parts: [
      ...(Object.keys(body).length > 0 ? [{ what: 'outbound routing', save }] : []),
      ...routeParts(lcr_sid, 'PUT', [...sent, ...others]),
      ...removals,
    ],
    changesRoutes,
  }
}
