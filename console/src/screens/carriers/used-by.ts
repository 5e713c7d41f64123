import { maxNamed } from '@patchbay/contract/lists/usage-limits'
import type { Uses } from '@patchbay/contract/used-by'
import { queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { pageIn } from '../../api/list-page.ts'
import { queryCallOptions } from '../../api/queries.ts'

/** References that block the deletion of a carrier. */
export interface CarrierUses {
  phone_numbers: Uses
  lcrs: Uses
}

const toUses = (all: readonly { sid: string; name: string }[]): Uses => ({
  total: all.length,
  first: all.slice(0, maxNamed),
})

/** Searches all phone numbers and outbound routings, for a server without the `whole-carriers` extension. */
const fetchFromLists = async (voip_carrier_sid: string, options: CallOptions): Promise<CarrierUses> => {
  const [numbers, lcrs] = await Promise.all([
    api('GET /PhoneNumbers', { query: {} }, options),
    api('GET /Lcrs', {}, options),
  ])
  const routes = await Promise.all(lcrs.map(({ lcr_sid }) => api('GET /LcrRoutes', { query: { lcr_sid } }, options)))
  const usesCarrier = (index: number) =>
    routes[index]?.some(({ lcr_carrier_set_entries }) =>
      lcr_carrier_set_entries.some((entry) => entry.voip_carrier_sid === voip_carrier_sid),
    )
  return {
    phone_numbers: toUses(
      pageIn(numbers)
        .data.filter((number) => number.voip_carrier_sid === voip_carrier_sid)
        .map(({ phone_number_sid, number }) => ({ sid: phone_number_sid, name: number })),
    ),
    lcrs: toUses(
      lcrs.filter((_, index) => usesCarrier(index)).map(({ lcr_sid, name }) => ({ sid: lcr_sid, name: name ?? '' })),
    ),
  }
}

export const carrierUsesQuery = (voip_carrier_sid: string) =>
  queryOptions({
    queryKey: ['carrier-uses', voip_carrier_sid],
    queryFn: (context) =>
      config().extensions.has('whole-carriers')
        ? api(
            'GET /patchbay/carriers/:voip_carrier_sid/used-by',
            { params: { voip_carrier_sid } },
            queryCallOptions(context),
          )
        : fetchFromLists(voip_carrier_sid, queryCallOptions(context)),
    // The references are not cached, so that the dialog shows current data.
    staleTime: 0,
    gcTime: 0,
  })
