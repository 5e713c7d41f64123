import type { CarrierHealthSummary } from '@patchbay/contract/carrier-health'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { liveRefresh } from '../../api/live-refresh.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'

/** Returns whether the server reports the health of carriers. The API server of jambonz does not. */
export const hasCarrierHealth = (): boolean => config().extensions.has('carrier-health')

/** The platform writes failures of pings every minute. */
const pollIntervalMs = 30_000

/** The health of the carriers on a page, by carrier SID. Polls while the list is visible. */
export const carrierHealthsQuery = (sids: readonly string[]) =>
  queryOptions({
    queryKey: ['carrier-health', sids],
    queryFn: async (context): Promise<ReadonlyMap<string, CarrierHealthSummary>> => {
      const query = { voip_carrier_sid: sids.join(',') }
      const all = await api('GET /patchbay/carrier-health', { query }, queryCallOptions(context))
      return new Map(all.map((health) => [health.voip_carrier_sid, health]))
    },
    enabled: sids.length > 0,
    placeholderData: keepPreviousData,
    ...liveRefresh(pollIntervalMs),
  })

/** The health of carriers for a prediction: their state now, and not that of another screen before. */
export const currentHealthQuery = (sids: readonly string[]) => ({
  ...carrierHealthsQuery(sids),
  enabled: sids.length > 0 && hasCarrierHealth(),
  staleTime: 0,
  gcTime: 0,
})

/** The health of a carrier with its gateways. Polls while it is visible. */
export const carrierHealthQuery = (voip_carrier_sid: string) =>
  queryOptions({
    queryKey: ['carrier-health', voip_carrier_sid],
    queryFn: (context) =>
      api(
        'GET /patchbay/carriers/:voip_carrier_sid/health',
        { params: { voip_carrier_sid } },
        queryCallOptions(context),
      ),
    ...liveRefresh(pollIntervalMs),
  })

/** Maximum number of displayed changes. */
const historyRows = '200'

/** The newest changes of the health of a carrier. Polls while it is visible. */
export const healthHistoryQuery = (voip_carrier_sid: string) =>
  queryOptions({
    queryKey: ['carrier-health', voip_carrier_sid, 'history'],
    queryFn: (context) =>
      api(
        'GET /patchbay/carriers/:voip_carrier_sid/health-changes',
        { params: { voip_carrier_sid }, query: { page: '1', count: historyRows } },
        queryCallOptions(context),
      ),
    refetchInterval: pollIntervalMs,
  })
