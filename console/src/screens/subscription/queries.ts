import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { queryCallOptions } from '../../api/queries.ts'

/** What can be bought. */
export const pricesQuery = queryOptions({
  queryKey: ['prices'],
  queryFn: (context) => api('GET /Prices', {}, queryCallOptions(context)),
  staleTime: 60_000,
})
