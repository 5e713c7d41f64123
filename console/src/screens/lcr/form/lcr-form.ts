import type { LcrRoute } from '@patchbay/contract/lcr-routes'
import { lcrRouteLengths } from '@patchbay/contract/lcr-routes/record'
import type { WholeLcr } from '@patchbay/contract/lcrs'
import { lcrLengths } from '@patchbay/contract/lcrs/record'
import { prioritized } from '@patchbay/rules/routing/outbound'
import type { ApiError } from '../../../api/api-error.ts'
import type { FieldErrors } from '../../../form/server-errors.ts'
import { requiredText, trimmedText, z } from '../../../zod.ts'

/** Values of the outbound routing form and their conversion from and to the API. */

const route = z.object({
  /** Empty until the route is stored. */
  lcr_route_sid: z.string(),
  regex: requiredText(lcrRouteLengths.regex, 'Enter a digit prefix or a regular expression'),
  voip_carrier_sid: z.string().check(z.minLength(1, { error: 'Choose a carrier' })),
})
export type RouteValues = z.infer<typeof route>

export const lcrValues = z.object({
  name: trimmedText(lcrLengths.name),
  is_active: z.boolean(),
  /** Empty if the routing applies to the whole service provider. */
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

/** jambonz uses only the first carrier of a route. */
const firstCarrier = ({ lcr_carrier_set_entries: [first] }: LcrRoute): string => first?.voip_carrier_sid ?? ''

export const toFormValues = (lcr: WholeLcr): LcrValues => ({
  name: lcr.name ?? '',
  is_active: Boolean(lcr.is_active),
  account_sid: lcr.account_sid ?? '',
  default_voip_carrier_sid: lcr.default_voip_carrier_sid ?? '',
  routes: lcr.routes.map((one) => ({
    lcr_route_sid: one.lcr_route_sid,
    regex: one.regex,
    voip_carrier_sid: firstCarrier(one),
  })),
})

/** Returns the name and the active state for the request body. */
export const toSettingsPayload = ({ name, is_active }: LcrValues) => ({ name: name === '' ? null : name, is_active })

/** Returns the owner of the routing: an account, or the whole service provider. */
export const toOwnerPayload = ({ account_sid }: LcrValues, service_provider_sid: string) =>
  account_sid === '' ? { account_sid: null, service_provider_sid } : { account_sid, service_provider_sid: null }

type RoutePayload = Pick<LcrRoute, 'regex' | 'description'> & {
  lcr_route_sid: string
  lcr_carrier_set_entries: {
    lcr_carrier_set_entry_sid?: string
    voip_carrier_sid: string
    workload?: number
    priority: number
  }[]
}

/** Replaces the first carrier of a route and keeps its other carrier entries. */
const toEntriesPayload = (
  stored: LcrRoute | undefined,
  voip_carrier_sid: string,
): RoutePayload['lcr_carrier_set_entries'] => {
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

/** Returns the routes in the API format. The position in the form becomes the priority. */
export const toRoutesPayload = ({ routes }: Pick<LcrValues, 'routes'>, stored: readonly LcrRoute[]) => {
  const storedBySid = new Map(stored.map((one) => [one.lcr_route_sid, one]))
  return prioritized(
    routes.map(({ lcr_route_sid, regex, voip_carrier_sid }): RoutePayload => {
      const before = storedBySid.get(lcr_route_sid)
      return {
        // A route that another user has deleted is created again.
        lcr_route_sid: before ? lcr_route_sid : '',
        regex,
        description: before?.description ?? null,
        lcr_carrier_set_entries: toEntriesPayload(before, voip_carrier_sid),
      }
    }),
  )
}
const fields = new Map<string, 'name' | 'account_sid' | 'default_voip_carrier_sid'>([
  ['name', 'name'],
  ['account_sid', 'account_sid'],
  ['default_voip_carrier_sid', 'default_voip_carrier_sid'],
])

export const lcrFieldErrors = ({ field = '', message }: ApiError): FieldErrors<LcrValues> => {
  const formField = fields.get(field)
  return formField ? { [formField]: message } : {}
}
