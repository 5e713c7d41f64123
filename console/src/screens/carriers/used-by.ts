import type { EndpointResult } from '@patchbay/contract/api/endpoint'
import type { Contract } from '@patchbay/contract/contract'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'

export type CarrierUses = EndpointResult<Contract['GET /patchbay/carriers/:voip_carrier_sid/used-by']>

/** The references that block the deletion of a carrier. */
export const carrierUsesQuery = (voip_carrier_sid: string) =>
  queryOptions({
    queryKey: ['carrier-uses', voip_carrier_sid],
    queryFn: (context) =>
      api(
        'GET /patchbay/carriers/:voip_carrier_sid/used-by',
        { params: { voip_carrier_sid } },
        queryCallOptions(context),
      ),
    // The references are not cached, so that the dialog shows current data.
    staleTime: 0,
    gcTime: 0,
  })
