import { normalizeTyped, numberDigits } from '@patchbay/rules/phone-number/format'
import { removeTextMarks } from '@patchbay/rules/phone-number/searched-number'
import {
  lookUpRoute,
  prioritized,
  type RouteLookup,
  type RouteOutcome,
  type RouteStep,
  systemDefaultRoute,
} from '@patchbay/rules/routing/outbound'
import type { LcrValues } from './form/lcr-form.ts'

/** Texts of the outbound dry run. The route selection is implemented in rules/src/routing/outbound.ts. */

export interface TriedRoute {
  regex: string
  priority: number
  lcr_carrier_set_entries: readonly { voip_carrier_sid: string; priority: number }[]
}

/** Returns the routes of the form and the default route, with the priorities that they get when saved. */
export const toSimulatedRoutes = (values: Pick<LcrValues, 'routes' | 'default_voip_carrier_sid'>) => {
  const toEntries = (voip_carrier_sid: string) => (voip_carrier_sid === '' ? [] : [{ voip_carrier_sid, priority: 0 }])
  const tried = values.routes
    .filter(({ regex }) => regex.trim() !== '')
    .map(({ regex, voip_carrier_sid }) => ({
      regex: regex.trim(),
      lcr_carrier_set_entries: toEntries(voip_carrier_sid),
    }))
  return [
    ...prioritized(tried),
    { ...systemDefaultRoute, lcr_carrier_set_entries: toEntries(values.default_voip_carrier_sid) },
  ]
}

/**
 * Returns the number as it would be dialed: only digits and a leading +, also if it was copied with the marks of another
 * program. Input that is not a phone number only loses its spaces.
 */
export const toDialString = (typed: string): string => {
  const text = removeTextMarks(normalizeTyped(typed)).replace(/^tel:/i, '')
  const digits = numberDigits(text)
  if (digits === undefined) return typed.replaceAll(/\s/g, '')
  return /^\(?\+/.test(text) ? `+${digits}` : digits
}

export const outcomeText = (outcome: RouteOutcome): string => {
  switch (outcome.is) {
    case 'taken':
      return `${matchText(outcome.match)}: taken`
    case 'empty':
      return `${matchText(outcome.match)}, but it has no carrier: skipped`
    case 'unmatched':
      return 'Does not match'
    case 'invalid':
      return `Invalid expression (${outcome.reason}): the lookup ends here without a carrier`
    case 'not_tried':
      return 'Not tried'
  }
}

const matchText = (match: Extract<RouteOutcome, { match: unknown }>['match']): string => {
  if (match.how === 'prefix') return 'The number starts with it'
  if (match.how !== 'pattern') return 'Matches'
  return match.at === 0 ? 'Matches at the start' : `Matches inside the number, from character ${match.at + 1}`
}

/** Returns a note if the choice is undefined because of equal priorities. */
export const chanceText = ({ isByChance, outcome }: RouteStep<unknown>): string | undefined => {
  if (outcome.is === 'taken' && outcome.isByChance)
    return 'Two of its carriers have the same priority. The platform may use either.'
  return isByChance && outcome.is !== 'not_tried'
    ? 'Another route has the same priority. Their order is undefined.'
    : undefined
}

/** Returns the routes that were tried, and the number of routes that were not. */
export const triedSteps = <Route extends TriedRoute>(routes: readonly Route[], number: string) => {
  const lookup: RouteLookup<Route> = lookUpRoute(routes, number)
  const tried = lookup.steps.filter(({ outcome }) => outcome.is !== 'not_tried')
  const { voip_carrier_sid, isByChance } = lookup
  return { tried, untried: lookup.steps.length - tried.length, voip_carrier_sid, isByChance }
}

interface Viewer {
  scope: 'account' | 'service_provider' | 'admin'
}

/**
 * Returns a note about routings that apply but that this user cannot see
 * (docs/reference/platform-api/outbound-routing.md#visibility-of-routings).
 */
export const unseenText = ({ scope }: Viewer): string | undefined => {
  switch (scope) {
    case 'admin':
      return undefined
    case 'service_provider':
      return 'If the account has its own outbound routing, which only the account and admins can see, the platform may use that one instead.'
    case 'account':
      return 'If your service provider has an outbound routing, which only the service provider and admins can see, the platform may use that one instead.'
  }
}
