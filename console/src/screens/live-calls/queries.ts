import type { LiveCall } from '@patchbay/contract/live-calls'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { queryCallOptions } from '../../api/queries.ts'

/** What is up in an account. It is asked again and again, while somebody looks. */

const second = 1000

/** Many calls are many bytes: they are asked for less often. */
const many = 1_000

const askedEvery = (calls: readonly LiveCall[] | undefined): number => ((calls?.length ?? 0) > many ? 15 : 5) * second

export const liveCallsQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['live-calls', account_sid],
    queryFn: async (context) => {
      const calls = await api(
        'GET /Accounts/:account_sid/Calls',
        { params: { account_sid }, query: {} },
        queryCallOptions(context),
      )
      // The platform's own server has empty ones, too, of calls whose record ran out.
      return calls.filter(({ call_sid }) => Boolean(call_sid))
    },
    refetchInterval: ({ state }) => askedEvery(state.data),
  })

/** Redis is gone through for them as a whole. */
const waitingEvery = 20 * second

export const queuesQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['queues', account_sid],
    queryFn: (context) =>
      api(
        'GET /Accounts/:account_sid/Queues',
        { params: { account_sid }, query: {} },
        { ...queryCallOptions(context), unasked: true },
      ),
    refetchInterval: waitingEvery,
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
    refetchInterval: waitingEvery,
  })

/** What an application is called does not change while one looks. */
export const applicationNameQuery = (application_sid: string) =>
  queryOptions({
    queryKey: ['application-name', application_sid],
    queryFn: async ({ signal }) => {
      const options = { signal, unasked: true }
      return (await api('GET /Applications/:application_sid', { params: { application_sid } }, options)).name
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
