import type { LcrRoute } from '@patchbay/contract/lcr-routes'
import { defaultRoutePriority, prioritized, systemDefaultRoute } from '@patchbay/rules/routing/outbound'
import type { Input } from '../api/client.ts'

/** Converts the routes of an outbound routing to the format of jambonz. */

type Route = Input<'PUT /patchbay/lcrs/:lcr_sid'>['body']['routes'][number]
export type PlacedRoute = Route & { priority: number }

/** jambonz uses only the first carrier of a route. */
export const firstCarrier = ({ lcr_carrier_set_entries: [first] = [] }: Pick<Route, 'lcr_carrier_set_entries'>) =>
  first?.voip_carrier_sid

/** Returns the carriers of a stored route, with another first one. */
const toEntries = (stored: LcrRoute | undefined, voip_carrier_sid: string) => {
  const [first, ...others] = stored?.lcr_carrier_set_entries ?? []
  if (first === undefined) return [{ voip_carrier_sid, priority: 0 }]
  return [{ ...first, voip_carrier_sid }, ...others].map(({ lcr_route_sid: _route, ...entry }) => entry)
}

/** Returns the route for numbers that match no other route. It replaces the stored one. */
export const toDefaultRoute = (voip_carrier_sid: string, stored: LcrRoute | undefined): PlacedRoute => ({
  ...(stored
    ? { lcr_route_sid: stored.lcr_route_sid, regex: stored.regex, description: stored.description }
    : { lcr_route_sid: '', regex: systemDefaultRoute.regex, description: systemDefaultRoute.description }),
  priority: defaultRoutePriority,
  lcr_carrier_set_entries: toEntries(stored, voip_carrier_sid),
})

/** Restores the priorities of the carriers, and derives those of the routes from their order. */
export const toPlacedRoutes = (routes: readonly Route[], stored: readonly LcrRoute[]): PlacedRoute[] => {
  const priorities = new Map(
    stored.flatMap(({ lcr_carrier_set_entries: entries }) =>
      entries.map((entry) => [entry.lcr_carrier_set_entry_sid, entry.priority] as const),
    ),
  )
  return prioritized(
    routes.map(({ lcr_carrier_set_entries: entries = [], ...route }) => ({
      ...route,
      lcr_carrier_set_entries: entries.map((entry, at) => ({
        ...entry,
        priority: priorities.get(entry.lcr_carrier_set_entry_sid ?? '') ?? at,
      })),
    })),
  )
}

/**
 * Assigns SIDs to routes that were stored during a save that failed in part, so that the next save does not create them
 * again.
 */
export const assignStoredSids = (routes: readonly Route[], stored: readonly LcrRoute[]): Route[] => {
  const assignedSids = new Set(routes.map(({ lcr_route_sid }) => lcr_route_sid))
  const unassigned = stored.filter(({ lcr_route_sid }) => !assignedSids.has(lcr_route_sid))
  return routes.map((route) => {
    if (route.lcr_route_sid) return route
    const at = unassigned.findIndex((one) => one.regex === route.regex && firstCarrier(one) === firstCarrier(route))
    const [match] = unassigned.splice(at, at < 0 ? 0 : 1)
    if (match === undefined) return route
    const { lcr_route_sid, description } = match
    return {
      ...route,
      lcr_route_sid,
      description,
      lcr_carrier_set_entries: toEntries(match, firstCarrier(match) ?? ''),
    }
  })
}
