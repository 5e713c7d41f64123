import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { queryCallOptions } from '../../api/queries.ts'

export const lcrsQuery = queryOptions({
  queryKey: ['lcrs'],
  queryFn: (context) => api('GET /Lcrs', {}, queryCallOptions(context)),
})

export const lcrQuery = (lcr_sid: string) =>
  queryOptions({
    queryKey: ['lcr', lcr_sid],
    queryFn: (context) => api('GET /Lcrs/:lcr_sid', { params: { lcr_sid } }, queryCallOptions(context)),
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
