import type { Contract } from '@patchbay/contract/contract'
import type { QueryInput } from '@patchbay/contract/endpoint'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, buildUrl } from '../../api/client.ts'
import { fetchBinary } from '../../api/fetch-binary.ts'
import { queryCallOptions } from '../../api/queries.ts'
import type { OwnerSid } from '../../api/record-queries.ts'

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

/** The server has the same time limit. */
const exportLimitMs = 1_800_000

/** Downloads all reviews that match the filters. */
export const fetchReviews = async (
  owner: OwnerSid,
  format: 'csv' | 'jsonl',
  { count: _count, after: _after, ...query }: ReviewQuery,
): Promise<Blob> => {
  const ownerPath =
    owner.account_sid === undefined ? 'service-providers/:service_provider_sid' : 'accounts/:account_sid'
  const address = buildUrl('', `/patchbay/${ownerPath}/reviews.${format}`, { params: { ...owner }, query })
  return (await fetchBinary(address, { withinMs: exportLimitMs })).blob()
}
