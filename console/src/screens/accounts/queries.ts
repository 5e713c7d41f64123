import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { reading } from '../../api/queries.ts'

/** What these screens alone read. */

export const accountContentsQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['account-contents', account_sid],
    queryFn: (context) =>
      call('GET /patchbay/accounts/:account_sid/contents', { params: { account_sid } }, reading(context)),
    // What goes is counted when it is asked for.
    staleTime: 0,
    gcTime: 0,
  })
