import type { Contract } from '@patchbay/contract/contract'
import type { QueryInput } from '@patchbay/contract/endpoint'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from '../../api/client.ts'
import { queryCallOptions } from '../../api/queries.ts'
import type { OwnerSid } from '../../api/record-queries.ts'

/** Queries of the call screens. */

/** Reads the trace of a call. A trace no longer changes after the call, so it is read only once. */
export const traceQuery = (account_sid: string, trace_id: string) =>
  queryOptions({
    queryKey: ['trace', account_sid, trace_id],
    queryFn: (context) =>
      api(
        'GET /Accounts/:account_sid/RecentCalls/trace/:trace_id',
        { params: { account_sid, trace_id } },
        queryCallOptions(context),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const callLogsQuery = (account_sid: string, call_sid: string) =>
  queryOptions({
    queryKey: ['call-logs', account_sid, call_sid],
    queryFn: (context) =>
      api(
        'GET /Accounts/:account_sid/RecentCalls/:call_sid/logs',
        { params: { account_sid, call_sid }, query: {} },
        queryCallOptions(context),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Reads the legs of one call, newest first. The list endpoint returns them if the filter is a complete call_sid. */
export const callQuery = (account_sid: string, call_sid: string) =>
  queryOptions({
    queryKey: ['call', account_sid, call_sid],
    queryFn: async (context) => {
      const query = { page: '1', count: '50', filter: call_sid }
      const { data } = await api(
        'GET /Accounts/:account_sid/RecentCalls',
        { params: { account_sid }, query },
        queryCallOptions(context),
      )
      return data.filter((leg) => leg.call_sid === call_sid)
    },
  })

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
