import type { Call } from '@patchbay/contract/recent-calls'
import { queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { queryCallOptions } from '../../api/queries.ts'
import { collectLegs } from './call-legs.ts'

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

/**
 * The jambonz API server can only select calls by time, so the legs are searched among this many calls in the period of
 * the call.
 */
const maxOverlappingCalls = 500

const fetchOverlappingCalls = async (
  { account_sid, attempted_at, terminated_at }: Call,
  how: CallOptions,
): Promise<readonly Call[]> => {
  const start = new Date(Date.parse(attempted_at) - 60_000).toISOString()
  const query = {
    page: '1',
    count: String(maxOverlappingCalls),
    start,
    ...(terminated_at ? { end: terminated_at } : {}),
  }
  const { data } = await api('GET /Accounts/:account_sid/RecentCalls', { params: { account_sid }, query }, how)
  return data
}

/** Returns all legs of the call that a record belongs to, including that record, oldest first. */
export const legsQuery = (own: Call, sip_callid: string) =>
  queryOptions({
    queryKey: ['call-legs', own.account_sid, sip_callid],
    queryFn: async (context) => {
      const params = { account_sid: own.account_sid }
      const candidates = config().extensions.has('call-legs')
        ? await api(
            'GET /patchbay/accounts/:account_sid/call-legs',
            { params, query: { sip_callid } },
            queryCallOptions(context),
          )
        : await fetchOverlappingCalls(own, queryCallOptions(context))
      return collectLegs(own, candidates)
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
