import { numberDigits } from '@patchbay/contract/phone-number/format'
import {
  lookUpRoute,
  prioritized,
  type RouteLookup,
  type RouteOutcome,
  type RouteStep,
  systemDefaultRoute,
} from '@patchbay/contract/routing/outbound'
import type { LcrValues } from './form/lcr-form.ts'

/** What the outbound dry run says, in words; how the platform chooses is contract/rules/routing.ts. */

export interface TriedRoute {
  regex: string
  priority: number
  lcr_carrier_set_entries: readonly { voip_carrier_sid: string; priority: number }[]
}

/** The routes of a form, each at its place, and the default one behind them: as they would be once saved. */
export const routesTried = (values: Pick<LcrValues, 'routes' | 'default_voip_carrier_sid'>) => {
  const over = (voip_carrier_sid: string) => (voip_carrier_sid === '' ? [] : [{ voip_carrier_sid, priority: 0 }])
  const tried = values.routes
    .filter(({ regex }) => regex.trim() !== '')
    .map(({ regex, voip_carrier_sid }) => ({ regex: regex.trim(), lcr_carrier_set_entries: over(voip_carrier_sid) }))
  return [
    ...prioritized(tried),
    { ...systemDefaultRoute, lcr_carrier_set_entries: over(values.default_voip_carrier_sid) },
  ]
}

/** As it would be dialled: of a number that is written as people write numbers the digits, and a + before them. */
export const dialled = (typed: string): string => {
  const text = typed.trim()
  const digits = numberDigits(text)
  if (digits === undefined) return text.replaceAll(/\s/g, '')
  return text.startsWith('+') ? `+${digits}` : digits
}

export const outcomeText = (outcome: RouteOutcome): string => {
  switch (outcome.is) {
    case 'taken':
      return `${matchText(outcome.match)}: taken`
    case 'empty':
      return `${matchText(outcome.match)}, but it has no carrier: passed over`
    case 'unmatched':
      return 'Does not match'
    case 'invalid':
      return `No valid expression (${outcome.reason}): the look-up ends here, without a carrier`
    case 'not_tried':
      return 'Not tried'
  }
}

const matchText = (match: Extract<RouteOutcome, { match: unknown }>['match']): string => {
  if (match.how === 'prefix') return 'The number begins with it'
  if (match.how !== 'pattern') return 'Matches'
  return match.at === 0 ? 'Matches from the beginning' : `Matches inside the number, from character ${match.at + 1}`
}

/** What is left to chance, since nothing puts it in an order. */
export const chanceText = ({ isByChance, outcome }: RouteStep<unknown>): string | undefined => {
  if (outcome.is === 'taken' && outcome.isByChance)
    return 'Two of its carriers have the same priority: either of them may be taken.'
  return isByChance && outcome.is !== 'not_tried'
    ? 'Another route has the same priority: which of them is tried first is not said.'
    : undefined
}

/** The routes that were tried, and how many were not. */
export const triedSteps = <Route extends TriedRoute>(routes: readonly Route[], number: string) => {
  const lookup: RouteLookup<Route> = lookUpRoute(routes, number)
  const tried = lookup.steps.filter(({ outcome }) => outcome.is !== 'not_tried')
  return { tried, untried: lookup.steps.length - tried.length, voip_carrier_sid: lookup.voip_carrier_sid }
}

interface Viewer {
  scope: 'account' | 'service_provider' | 'admin'
}

/** What may be there that the one who looks cannot see (api/2-telephony.md §9.2). */
export const unseenText = ({ scope }: Viewer): string | undefined => {
  switch (scope) {
    case 'admin':
      return undefined
    case 'service_provider':
      return 'If the account has an outbound routing of its own, which only it and admins see, the platform may take that one instead.'
    case 'account':
      return 'If your service provider has an outbound routing, which only it and admins see, the platform may take that one instead.'
  }
}
