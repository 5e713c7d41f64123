import type { QueryInput } from '@patchbay/contract/api/endpoint'
import type { Contract } from '@patchbay/contract/contract'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'

export type ReviewQuery = QueryInput<Contract['GET /patchbay/accounts/:account_sid/reviews']>

/** Reads a page of the calls to review, or of reviewed ones. */
export const reviewListQuery = (owner: OwnerSid, query: ReviewQuery) =>
  queryOptions({
    queryKey: ['reviews', owner, query],
    queryFn: (context) =>
      owner.account_sid === undefined
        ? api(
            'GET /patchbay/service-providers/:service_provider_sid/reviews',
            { params: owner, query },
            queryCallOptions(context),
          )
        : api('GET /patchbay/accounts/:account_sid/reviews', { params: owner, query }, queryCallOptions(context)),
    placeholderData: keepPreviousData,
  })
