import type { LiveCall } from '@patchbay/contract/live-calls'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { getRefreshPauseMs, liveRefresh } from '../../api/live-refresh.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'

/** Queries for live calls. They poll while the screen is visible. */

const second = 1000

/** Accounts with more calls than this are polled less often, because each response is large. */
const manyCalls = 1_000

const getPollIntervalMs = (calls: readonly LiveCall[] | undefined): number =>
  ((calls?.length ?? 0) > manyCalls ? 15 : 5) * second

export const liveCallsQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['live-calls', account_sid],
    queryFn: async (context) => {
      const calls = await api(
        'GET /Accounts/:account_sid/Calls',
        { params: { account_sid }, query: {} },
        queryCallOptions(context),
      )
      // The jambonz API server also returns empty objects for calls whose Redis record has expired.
      return calls.filter(({ call_sid }) => Boolean(call_sid))
    },
    refetchInterval: ({ state }) => getRefreshPauseMs(getPollIntervalMs(state.data), state),
  })

/** Slower than the polling of calls, because each request scans the whole of Redis. */
const queuesPollIntervalMs = 20 * second

export const queuesQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['queues', account_sid],
    queryFn: (context) =>
      api(
        'GET /Accounts/:account_sid/Queues',
        { params: { account_sid }, query: {} },
        { ...queryCallOptions(context), unasked: true },
      ),
    ...liveRefresh(queuesPollIntervalMs),
  })

export const conferencesQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['conferences', account_sid],
    queryFn: (context) =>
      api(
        'GET /Accounts/:account_sid/Conferences',
        { params: { account_sid } },
        { ...queryCallOptions(context), unasked: true },
      ),
    ...liveRefresh(queuesPollIntervalMs),
  })

/** Reads the name of an application once. Renames during the visit are not picked up. */
export const applicationNameQuery = (application_sid: string) =>
  queryOptions({
    queryKey: ['application-name', application_sid],
    queryFn: async ({ signal }) => {
      const options = { signal, unasked: true }
      return (await api('GET /Applications/:application_sid', { params: { application_sid } }, options)).name
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
