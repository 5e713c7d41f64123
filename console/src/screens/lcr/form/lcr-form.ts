import type { LcrRoute } from '@patchbay/contract/lcr-routes'
import type { Lcr } from '@patchbay/contract/lcrs'
import { lcrLengths, lcrRouteLengths } from '@patchbay/contract/shared/column-lengths'
import { defaultRoutePriority, prioritized, systemDefaultRoute } from '@patchbay/contract/routing/outbound'
import type { ApiError } from '../../../api/api-error.ts'
import type { FieldErrors } from '../../../form/use-record-form.tsx'
import { requiredText, trimmedText, z } from '../../../zod.ts'

/** The values of the form of an outbound routing; the sections edit them, add and edit send them. */

const route = z.object({
  /** empty until it is stored */
  lcr_route_sid: z.string(),
  regex: requiredText(lcrRouteLengths.regex, 'Enter a digit prefix or a regular expression'),
  voip_carrier_sid: z.string().check(z.minLength(1, { error: 'Choose a carrier' })),
})
export type RouteValues = z.infer<typeof route>

export const lcrValues = z.object({
  name: trimmedText(lcrLengths.name),
  is_active: z.boolean(),
  /** empty: of the whole service provider */
  account_sid: z.string(),
  default_voip_carrier_sid: z.string().check(z.minLength(1, { error: 'Choose a default outbound carrier' })),
  routes: z.array(route),
})
export type LcrValues = z.infer<typeof lcrValues>

export const emptyRoute: RouteValues = { lcr_route_sid: '', regex: '', voip_carrier_sid: '' }

export const emptyLcr: LcrValues = {
  name: '',
  is_active: true,
  account_sid: '',
  default_voip_carrier_sid: '',
  routes: [emptyRoute],
}

/** The default route is found by its carrier; it is none of those that are shown. */
export const isDefault =
  ({ default_carrier_set_entry_sid }: Pick<Lcr, 'default_carrier_set_entry_sid'>) =>
  ({ lcr_carrier_set_entries }: Pick<LcrRoute, 'lcr_carrier_set_entries'>): boolean =>
    lcr_carrier_set_entries.some(({ lcr_carrier_set_entry_sid: sid }) => sid === default_carrier_set_entry_sid)

/** Of several carriers of a route the platform takes the first alone. */
const firstCarrier = ({ lcr_carrier_set_entries: [first] }: LcrRoute): string => first?.voip_carrier_sid ?? ''

/** A routing as it is stored. */
export interface StoredLcr {
  lcr: Lcr
  /** by priority */
  routes: readonly LcrRoute[]
}

export const toFormValues = ({ lcr, routes }: StoredLcr): LcrValues => {
  const isDefaultRoute = isDefault(lcr)
  const defaultEntry = routes
    .flatMap((one) => one.lcr_carrier_set_entries)
    .find(({ lcr_carrier_set_entry_sid: sid }) => sid === lcr.default_carrier_set_entry_sid)
  return {
    name: lcr.name ?? '',
    is_active: Boolean(lcr.is_active),
    account_sid: lcr.account_sid ?? '',
    default_voip_carrier_sid: defaultEntry?.voip_carrier_sid ?? '',
    routes: routes
      .filter((one) => !isDefaultRoute(one))
      .map((one) => ({
        lcr_route_sid: one.lcr_route_sid,
        regex: one.regex,
        voip_carrier_sid: firstCarrier(one),
      })),
  }
}

/** What the form says of the routing itself. */
export const toSettingsPayload = ({ name, is_active }: LcrValues) => ({ name: name === '' ? null : name, is_active })

/** Whose it is: an account's, or of the whole service provider. */
export const toOwnerPayload = ({ account_sid }: LcrValues, service_provider_sid: string) =>
  account_sid === '' ? { account_sid: null, service_provider_sid } : { account_sid, service_provider_sid: null }

type SentRoute = Pick<LcrRoute, 'regex' | 'description'> & {
  lcr_route_sid: string
  lcr_carrier_set_entries: {
    lcr_carrier_set_entry_sid?: string
    voip_carrier_sid: string
    workload?: number
    priority: number
  }[]
}

/** The carrier that is chosen takes the place of the first; what else a route has, here or elsewhere made, stays. */
const entriesSent = (stored: LcrRoute | undefined, voip_carrier_sid: string): SentRoute['lcr_carrier_set_entries'] => {
  const [first, ...others] = stored?.lcr_carrier_set_entries ?? []
  if (first === undefined) return [{ voip_carrier_sid, priority: 0 }]
  return [{ ...first, voip_carrier_sid }, ...others].map(
    ({ lcr_carrier_set_entry_sid, voip_carrier_sid: carrier, workload, priority }) => ({
      lcr_carrier_set_entry_sid,
      voip_carrier_sid: carrier,
      workload,
      priority,
    }),
  )
}

/** The routes as they are sent, each with the priority of its place. */
export const toRoutesPayload = ({ routes }: Pick<LcrValues, 'routes'>, stored: readonly LcrRoute[]) => {
  const known = new Map(stored.map((one) => [one.lcr_route_sid, one]))
  return prioritized(
    routes.map(({ lcr_route_sid, regex, voip_carrier_sid }): SentRoute => {
      const before = known.get(lcr_route_sid)
      return {
        // One that somebody else has deleted is made anew.
        lcr_route_sid: before ? lcr_route_sid : '',
        regex,
        description: before?.description ?? null,
        lcr_carrier_set_entries: entriesSent(before, voip_carrier_sid),
      }
    }),
  )
}
export type PlacedRoute = ReturnType<typeof toRoutesPayload>[number]

/** The route that takes what no other does, in place of the stored one. */
export const toDefaultRoutePayload = (
  { default_voip_carrier_sid }: Pick<LcrValues, 'default_voip_carrier_sid'>,
  stored: LcrRoute | undefined,
): PlacedRoute => ({
  ...(stored
    ? { lcr_route_sid: stored.lcr_route_sid, regex: stored.regex, description: stored.description }
    : { lcr_route_sid: '', regex: systemDefaultRoute.regex, description: systemDefaultRoute.description }),
  priority: defaultRoutePriority,
  lcr_carrier_set_entries: entriesSent(stored, default_voip_carrier_sid),
})

/**
 * After a save of which some parts failed: routes that were made all the same take their sids, so that the next save
 * does not make them twice.
 */
export const adopted = (routes: readonly RouteValues[], stored: readonly RouteValues[]): RouteValues[] => {
  const known = new Set(routes.map(({ lcr_route_sid }) => lcr_route_sid))
  const free = stored.filter(({ lcr_route_sid }) => !known.has(lcr_route_sid))
  return routes.map((one) => {
    if (one.lcr_route_sid !== '') return one
    const at = free.findIndex(
      ({ regex, voip_carrier_sid }) => regex === one.regex && voip_carrier_sid === one.voip_carrier_sid,
    )
    return free.splice(at, at < 0 ? 0 : 1)[0] ?? one
  })
}

const fields = new Map<string, 'name' | 'account_sid' | 'default_voip_carrier_sid'>([
  ['name', 'name'],
  ['account_sid', 'account_sid'],
  ['default_voip_carrier_sid', 'default_voip_carrier_sid'],
])

export const lcrRefusal = ({ field = '', message }: ApiError): FieldErrors<LcrValues> => {
  const known = fields.get(field)
  return known ? { [known]: message } : {}
}
