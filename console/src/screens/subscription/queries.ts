import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'

/** Products and prices of the plans. */
export const pricesQuery = queryOptions({
  queryKey: ['prices'],
  queryFn: (context) => api('GET /Prices', {}, queryCallOptions(context)),
  staleTime: 60_000,
})
