import type { LiveCall } from '@patchbay/contract/live-calls'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { getRefreshPauseMs } from '../../api/live-refresh.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'

/** Returns whether calls in progress are known here. They are in the platform's Redis. */
export const hasLiveCalls = (): boolean => !config().switches.has('no-live-calls')

const second = 1000

/** Accounts with more calls than this are polled less often, because each response is large. */
const manyCalls = 1_000

const getPollIntervalMs = (calls: readonly LiveCall[] | undefined): number =>
  ((calls?.length ?? 0) > manyCalls ? 15 : 5) * second

/** Reads the calls of an account that are in progress or ended within the last hour. Polls while it is visible. */
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
