import { maxNamed } from '@patchbay/contract/lists/usage-limits'
import type { Uses } from '@patchbay/contract/used-by'
import { queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { pageIn } from '../../api/list-page.ts'
import { queryCallOptions } from '../../api/queries.ts'

/** What must be gone before a carrier can be deleted. */
export interface CarrierUses {
  phone_numbers: Uses
  lcrs: Uses
}

const named = (all: readonly { sid: string; name: string }[]): Uses => ({
  total: all.length,
  first: all.slice(0, maxNamed),
})

/** Of a server that does not look it up: all numbers, and the routes of every outbound routing. */
const readFromWire = async (voip_carrier_sid: string, options: CallOptions): Promise<CarrierUses> => {
  const [numbers, lcrs] = await Promise.all([
    api('GET /PhoneNumbers', { query: {} }, options),
    api('GET /Lcrs', {}, options),
  ])
  const routes = await Promise.all(lcrs.map(({ lcr_sid }) => api('GET /LcrRoutes', { query: { lcr_sid } }, options)))
  const leadsThere = (index: number) =>
    routes[index]?.some(({ lcr_carrier_set_entries }) =>
      lcr_carrier_set_entries.some((entry) => entry.voip_carrier_sid === voip_carrier_sid),
    )
  return {
    phone_numbers: named(
      pageIn(numbers)
        .data.filter((number) => number.voip_carrier_sid === voip_carrier_sid)
        .map(({ phone_number_sid, number }) => ({ sid: phone_number_sid, name: number })),
    ),
    lcrs: named(
      lcrs.filter((_, index) => leadsThere(index)).map(({ lcr_sid, name }) => ({ sid: lcr_sid, name: name ?? '' })),
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
        : readFromWire(voip_carrier_sid, queryCallOptions(context)),
    // What stands in the way is looked up when it is asked for.
    staleTime: 0,
    gcTime: 0,
  })
