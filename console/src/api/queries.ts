import type { QueryInput } from '@patchbay/contract/endpoint'
import type { Contract } from '@patchbay/contract/contract'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

/** What screens read, each under one key. */

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => call('GET /Users/me', {}, { signal }),
  staleTime: 60_000,
})

export const providersQuery = queryOptions({
  queryKey: ['service-providers'],
  queryFn: ({ signal }) => call('GET /ServiceProviders', {}, { signal }),
  staleTime: 60_000,
})

export const accountsQuery = (service_provider_sid: string) =>
  queryOptions({
    queryKey: ['accounts', service_provider_sid],
    queryFn: ({ signal }) =>
      call('GET /ServiceProviders/:service_provider_sid/Accounts', { params: { service_provider_sid } }, { signal }),
  })

export const accountQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['account', account_sid],
    queryFn: ({ signal }) => call('GET /Accounts/:account_sid', { params: { account_sid } }, { signal }),
  })

export type CallQuery = QueryInput<Contract['GET /Accounts/:account_sid/RecentCalls']>

export const recentCallsQuery = (account_sid: string, query: CallQuery) =>
  queryOptions({
    queryKey: ['recent-calls', account_sid, query],
    queryFn: ({ signal }) =>
      call('GET /Accounts/:account_sid/RecentCalls', { params: { account_sid }, query }, { signal }),
    placeholderData: keepPreviousData,
  })
