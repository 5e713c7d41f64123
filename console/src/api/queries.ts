import type { QueryInput } from '@patchbay/contract/endpoint'
import type { Contract } from '@patchbay/contract/contract'
import { keepPreviousData, type QueryFunctionContext, queryOptions } from '@tanstack/react-query'
import { call, type CallOptions } from './client.ts'

/** What screens read, each under one key. */

/** Where there is an answer already, nobody waits for the next one. */
const reading = ({ client, queryKey, signal }: QueryFunctionContext): CallOptions => ({
  signal,
  unasked: client.getQueryData(queryKey) !== undefined,
})

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: (context) => call('GET /Users/me', {}, reading(context)),
  staleTime: 60_000,
})

export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: (context) => call('GET /Users', {}, reading(context)),
})

export const userQuery = (user_sid: string) =>
  queryOptions({
    queryKey: ['user', user_sid],
    queryFn: (context) => call('GET /Users/:user_sid', { params: { user_sid } }, reading(context)),
  })

export const providersQuery = queryOptions({
  queryKey: ['service-providers'],
  queryFn: (context) => call('GET /ServiceProviders', {}, reading(context)),
  staleTime: 60_000,
})

export const accountsQuery = (service_provider_sid: string) =>
  queryOptions({
    queryKey: ['accounts', service_provider_sid],
    queryFn: (context) =>
      call(
        'GET /ServiceProviders/:service_provider_sid/Accounts',
        { params: { service_provider_sid } },
        reading(context),
      ),
  })

export const accountQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['account', account_sid],
    queryFn: (context) => call('GET /Accounts/:account_sid', { params: { account_sid } }, reading(context)),
  })

export const accountContentsQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['account-contents', account_sid],
    queryFn: (context) =>
      call('GET /patchbay/accounts/:account_sid/contents', { params: { account_sid } }, reading(context)),
    // What goes is counted when it is asked for.
    staleTime: 0,
    gcTime: 0,
  })

export type CallQuery = QueryInput<Contract['GET /Accounts/:account_sid/RecentCalls']>

export const recentCallsQuery = (account_sid: string, query: CallQuery) =>
  queryOptions({
    queryKey: ['recent-calls', account_sid, query],
    queryFn: (context) =>
      call('GET /Accounts/:account_sid/RecentCalls', { params: { account_sid }, query }, reading(context)),
    placeholderData: keepPreviousData,
  })
