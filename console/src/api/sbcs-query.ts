import { queryOptions } from '@tanstack/react-query'
import { api } from './client.ts'
import { queryCallOptions } from './shared-queries.ts'

/**
 * The SBC addresses at which devices and carriers of a provider reach the platform. Not in `queries.ts`, which lists load:
 * only forms need it.
 */
export const sbcsQuery = (service_provider_sid: string) =>
  queryOptions({
    queryKey: ['sbcs', service_provider_sid],
    queryFn: (context) => api('GET /Sbcs', { query: { service_provider_sid } }, queryCallOptions(context)),
    staleTime: 60_000,
  })
