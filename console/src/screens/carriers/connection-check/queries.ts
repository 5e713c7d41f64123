import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../api/client.ts'
import { config } from '../../../api/configuration.ts'

/** Returns whether the server can check the connection to a carrier. The API server of jambonz cannot. */
export const hasConnectionCheck = (): boolean => config().extensions.has('carrier-connection-check')

/**
 * The last connection check of a carrier. Each check sends requests to the carrier, so it runs only when the user asks
 * for it. The cache keeps the result while the user opens other tabs.
 */
export const connectionCheckQuery = (voip_carrier_sid: string) =>
  queryOptions({
    queryKey: ['connection-check', voip_carrier_sid],
    queryFn: ({ signal }) =>
      api('POST /patchbay/carriers/:voip_carrier_sid/connection-check', { params: { voip_carrier_sid } }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
