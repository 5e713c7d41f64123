import { can } from '@patchbay/contract/api/access'
import type { QueryInput } from '@patchbay/contract/api/endpoint'
import type { Contract } from '@patchbay/contract/contract'
import type { VoipCarrier } from '@patchbay/contract/voip-carriers'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { pageIn } from '../../api/list-page.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'
import { editCarrier } from '../../routes/carriers.ts'
import { type FindRecords, recordLink } from '../../routes/record-link.ts'
import { requiredSession } from '../../session/session.ts'

export type CarrierQuery = QueryInput<Contract['GET /ServiceProviders/:service_provider_sid/VoipCarriers']>

export const carriersQuery = (service_provider_sid: string, query: CarrierQuery) =>
  queryOptions({
    queryKey: ['carriers', service_provider_sid, query],
    queryFn: async (context) =>
      pageIn(
        await api(
          'GET /ServiceProviders/:service_provider_sid/VoipCarriers',
          { params: { service_provider_sid }, query },
          queryCallOptions(context),
        ),
      ),
    placeholderData: keepPreviousData,
  })

/** Numbers of inbound and outbound SIP gateways of a carrier. */
export interface GatewayCount {
  inbound: number
  outbound: number
}

/** Gateway counts of the carriers on a page, by carrier SID. */
export const gatewayCountsQuery = (sids: readonly string[]) =>
  queryOptions({
    queryKey: ['gateway-counts', sids],
    queryFn: async (context): Promise<ReadonlyMap<string, GatewayCount>> => {
      const query = { voip_carrier_sid: sids.join(',') }
      const counts = await api('GET /patchbay/gateway-counts', { query }, queryCallOptions(context))
      return new Map(counts.map(({ voip_carrier_sid, ...count }) => [voip_carrier_sid, count]))
    },
    enabled: sids.length > 0,
    placeholderData: keepPreviousData,
  })

export const smppsQuery = (service_provider_sid: string) =>
  queryOptions({
    queryKey: ['smpps', service_provider_sid],
    queryFn: (context) => api('GET /Smpps', { query: { service_provider_sid } }, queryCallOptions(context)),
  })

export const carrierLink = recordLink(
  editCarrier,
  ({ name }: VoipCarrier) => name,
  (carrier) => can(requiredSession().actor, 'read', carrier),
)

/** Returns the carriers of a service provider for the command palette. */
export const findRecords: FindRecords = async ({ toFoundRecords, service_provider_sid, read }) => {
  const { data } = await read(carriersQuery(service_provider_sid, {}))
  return toFoundRecords(carrierLink, data)
}
