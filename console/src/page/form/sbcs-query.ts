import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { reading } from '../../api/queries.ts'

/** Where devices and carriers reach the platform, as it is told to those of a provider. */
export const sbcsQuery = (service_provider_sid: string) =>
  queryOptions({
    queryKey: ['sbcs', service_provider_sid],
    queryFn: (context) => call('GET /Sbcs', { query: { service_provider_sid } }, reading(context)),
    staleTime: 60_000,
  })
