import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { reading } from '../../api/queries.ts'

/** What can be bought. */
export const pricesQuery = queryOptions({
  queryKey: ['prices'],
  queryFn: (context) => call('GET /Prices', {}, reading(context)),
  staleTime: 60_000,
})
