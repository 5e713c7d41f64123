import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'

/** The records that prevent the deletion of an account: a count of each kind, and the names of the first ten. */
export const accountBlockersQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['account-blockers', account_sid],
    queryFn: (context) =>
      api('GET /patchbay/accounts/:account_sid/blockers', { params: { account_sid } }, queryCallOptions(context)),
    // The blockers are not cached, so that the dialog shows current data.
    staleTime: 0,
    gcTime: 0,
  })
