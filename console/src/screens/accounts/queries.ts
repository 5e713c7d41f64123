import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { queryCallOptions } from '../../api/queries.ts'

export const accountContentsQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['account-contents', account_sid],
    queryFn: (context) =>
      api('GET /patchbay/accounts/:account_sid/contents', { params: { account_sid } }, queryCallOptions(context)),
    // The counts are not cached, so that the dialog shows current data.
    staleTime: 0,
    gcTime: 0,
  })
