import type { Contract } from '@patchbay/contract/contract'
import type { QueryInput } from '@patchbay/contract/endpoint'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { pageIn } from '../../api/list-page.ts'
import { queryCallOptions } from '../../api/queries.ts'

/** Queries of the application screens. */

export type ApplicationQuery = QueryInput<Contract['GET /Accounts/:account_sid/Applications']>

export const applicationPageQuery = (account_sid: string, query: ApplicationQuery) =>
  queryOptions({
    queryKey: ['applications', account_sid, query],
    queryFn: async (context) =>
      pageIn(
        await api(
          'GET /Accounts/:account_sid/Applications',
          { params: { account_sid }, query },
          queryCallOptions(context),
        ),
      ),
    placeholderData: keepPreviousData,
  })
