import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { reading } from '../../api/queries.ts'

export const lcrsQuery = queryOptions({
  queryKey: ['lcrs'],
  queryFn: (context) => call('GET /Lcrs', {}, reading(context)),
})

export const lcrQuery = (lcr_sid: string) =>
  queryOptions({
    queryKey: ['lcr', lcr_sid],
    queryFn: (context) => call('GET /Lcrs/:lcr_sid', { params: { lcr_sid } }, reading(context)),
  })

export const routesQuery = (lcr_sid: string) =>
  queryOptions({
    queryKey: ['lcr-routes', lcr_sid],
    queryFn: (context) => call('GET /LcrRoutes', { query: { lcr_sid } }, reading(context)),
  })

export const gatewaysQuery = (voip_carrier_sid: string) =>
  queryOptions({
    queryKey: ['sip-gateways', voip_carrier_sid],
    queryFn: (context) => call('GET /SipGateways', { query: { voip_carrier_sid } }, reading(context)),
  })
