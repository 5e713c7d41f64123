import type { LcrRoute } from '@patchbay/contract/lcr-routes'
import { api } from '../../../api/client.ts'
import type { SaveOptions } from '../../../form/use-record-form.tsx'
import { type LcrValues, toOwnerPayload, toRoutesPayload, toSettingsPayload } from './lcr-form.ts'

/** Saves an outbound routing with its routes. */

type PlacedRoute = ReturnType<typeof toRoutesPayload>[number]

/** Removes the priorities, which the server derives from the order. */
const withoutPriorities = ({ priority: _place, lcr_carrier_set_entries, ...route }: PlacedRoute) => ({
  ...route,
  lcr_carrier_set_entries: lcr_carrier_set_entries.map(({ priority: _priority, ...entry }) => entry),
})

const toPayload = (values: LcrValues, stored: readonly LcrRoute[]) => ({
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
export const changeLcr = (lcr_sid: string, values: LcrValues, stored: readonly LcrRoute[], options?: SaveOptions) =>
  api('PUT /patchbay/lcrs/:lcr_sid', { params: { lcr_sid }, body: toPayload(values, stored) }, options)
