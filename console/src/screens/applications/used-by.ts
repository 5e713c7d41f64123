import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'

/** The records that block the deletion of an application. */
export const applicationUsesQuery = (application_sid: string) =>
  queryOptions({
    queryKey: ['application-uses', application_sid],
    queryFn: (context) =>
      api(
        'GET /patchbay/applications/:application_sid/used-by',
        { params: { application_sid } },
        queryCallOptions(context),
      ),
    // Uses are never cached: other users can add or remove them at any time.
    staleTime: 0,
    gcTime: 0,
  })
