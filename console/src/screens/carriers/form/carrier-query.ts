import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../api/client.ts'
import { carrierQuery } from '../../../api/record-queries.ts'
import { queryCallOptions } from '../../../api/shared-queries.ts'

/** A carrier with its gateways. Whatever outdates the carrier outdates this, too. */
export const wholeCarrierQuery = (voip_carrier_sid: string) =>
  queryOptions({
    queryKey: [...carrierQuery(voip_carrier_sid).queryKey, 'whole'],
    queryFn: (context) =>
      api('GET /patchbay/carriers/:voip_carrier_sid', { params: { voip_carrier_sid } }, queryCallOptions(context)),
    // A copy that shares parts with the previous record would have no version.
    structuralSharing: false,
  })
