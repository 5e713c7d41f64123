import type { Call } from '@patchbay/contract/recent-calls'
import { collectLegs } from '@patchbay/rules/calls/call-legs'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'

/** Queries of an open call. */

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

/** Returns all legs of the call that a record belongs to, including that record, oldest first. */
export const legsQuery = (own: Call, sip_callid: string) =>
  queryOptions({
    queryKey: ['call-legs', own.account_sid, sip_callid],
    queryFn: async (context) => {
      const params = { account_sid: own.account_sid }
      const candidates = await api(
        'GET /patchbay/accounts/:account_sid/call-legs',
        { params, query: { sip_callid } },
        { ...queryCallOptions(context), call: own },
      )
      return collectLegs(own, candidates)
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
