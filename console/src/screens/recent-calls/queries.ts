import type { QueryInput } from '@patchbay/contract/api/endpoint'
import type { Contract } from '@patchbay/contract/contract'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from '../../api/client.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'

/** Queries of the list of calls. */

export type CallQuery = QueryInput<Contract['GET /Accounts/:account_sid/RecentCalls']>

/** Reads calls of an account, or of a service provider and all its accounts. */
export const readCalls = (owner: OwnerSid, query: CallQuery, how: CallOptions = {}) =>
  owner.account_sid === undefined
    ? api('GET /ServiceProviders/:service_provider_sid/RecentCalls', { params: owner, query }, how)
    : api('GET /Accounts/:account_sid/RecentCalls', { params: owner, query }, how)

export const recentCallsQuery = (owner: OwnerSid, query: CallQuery) =>
  queryOptions({
    queryKey: ['recent-calls', owner, query],
    queryFn: (context) => readCalls(owner, query, queryCallOptions(context)),
    placeholderData: keepPreviousData,
  })
