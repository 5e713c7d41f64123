import type { LiveCall } from '@patchbay/contract/live-calls'
import { queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { getRefreshPauseMs } from '../../api/live-refresh.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'

/** Returns whether calls in progress are known here. They are in the platform's Redis. */
export const hasLiveCalls = (): boolean => !config().switches.has('no-live-calls')

const second = 1000

/** Lists with more calls than this are polled less often, because each response is large. */
const manyCalls = 1_000

interface ListedCalls {
  calls: readonly LiveCall[]
  /** True if there are older calls that are not listed. */
  isCut: boolean
}

const getPollIntervalMs = (listed: ListedCalls | undefined): number =>
  ((listed?.calls.length ?? 0) > manyCalls ? 15 : 5) * second

const readCalls = async (
  { account_sid, service_provider_sid }: OwnerSid,
  options: CallOptions,
): Promise<ListedCalls> => {
  if (account_sid === undefined) {
    const path = 'GET /patchbay/service-providers/:service_provider_sid/live-calls'
    const { data, is_cut } = await api(path, { params: { service_provider_sid } }, options)
    return { calls: data, isCut: is_cut }
  }
  const calls = await api('GET /Accounts/:account_sid/Calls', { params: { account_sid }, query: {} }, options)
  // The jambonz API server also returns empty objects for calls whose Redis record has expired.
  return { calls: calls.filter(({ call_sid }) => Boolean(call_sid)), isCut: false }
}

/** The live calls of an account, or of all accounts of a service provider. */
export const liveCallsQuery = (owner: OwnerSid) =>
  queryOptions({
    queryKey: ['live-calls', owner],
    queryFn: (context) => readCalls(owner, queryCallOptions(context)),
    refetchInterval: ({ state }) => getRefreshPauseMs(getPollIntervalMs(state.data), state),
  })
