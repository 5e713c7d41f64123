import type { Lcr } from '@patchbay/contract/lcrs'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { accountsQuery, providersQuery, queryCallOptions } from '../../api/shared-queries.ts'
import { editRouting } from '../../routes/lcr.ts'
import { type FindRecords, recordLink } from '../../routes/record-link.ts'
import { routingName, routingsAround } from './list-filters.ts'

export const lcrsQuery = queryOptions({
  queryKey: ['lcrs'],
  queryFn: (context) => api('GET /Lcrs', {}, queryCallOptions(context)),
})

/** An outbound routing with its routes. */
export const lcrQuery = (lcr_sid: string) =>
  queryOptions({
    queryKey: ['lcr', lcr_sid],
    queryFn: (context) => api('GET /patchbay/lcrs/:lcr_sid', { params: { lcr_sid } }, queryCallOptions(context)),
    // A copy that shares parts with the previous record would have no version.
    structuralSharing: false,
  })

export const routesQuery = (lcr_sid: string) =>
  queryOptions({
    queryKey: ['lcr-routes', lcr_sid],
    queryFn: (context) => api('GET /LcrRoutes', { query: { lcr_sid } }, queryCallOptions(context)),
  })

export const gatewaysQuery = (voip_carrier_sid: string) =>
  queryOptions({
    queryKey: ['sip-gateways', voip_carrier_sid],
    queryFn: (context) => api('GET /SipGateways', { query: { voip_carrier_sid } }, queryCallOptions(context)),
  })

export const routingLink = recordLink(editRouting, (lcr: Lcr) => routingName(lcr))

/** Returns the outbound routings of a service provider for the command palette. */
export const findRecords: FindRecords = async ({ toFoundRecords, service_provider_sid, read }) => {
  const [lcrs, accounts, providers] = await Promise.all([
    read(lcrsQuery),
    read(accountsQuery(service_provider_sid)),
    read(providersQuery),
  ])
  const provider = providers.find((one) => one.service_provider_sid === service_provider_sid)
  const around = routingsAround(lcrs, { service_provider_sid, name: provider?.name ?? '' }, accounts)
  return toFoundRecords(routingLink, around)
}
