import { formatCursor } from '@patchbay/contract/shared/conversation-cursor'
import { lastDays } from '@patchbay/rules/calls/call-quality'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../api/client.ts'
import type { OwnerSid } from '../../../api/record-queries.ts'
import { queryCallOptions } from '../../../api/shared-queries.ts'

export interface ReviewedCallSids {
  account_sid: string
  call_sid: string
}

/** Reads the reviews of a call. */
export const callReviewsQuery = ({ account_sid, call_sid }: ReviewedCallSids) =>
  queryOptions({
    queryKey: ['call-reviews', account_sid, call_sid],
    queryFn: (context) =>
      api(
        'GET /patchbay/accounts/:account_sid/calls/:call_sid/reviews',
        { params: { account_sid, call_sid } },
        queryCallOptions(context),
      ),
  })

/** Reads the users who can be assigned. */
export const reviewersQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['reviewers', account_sid],
    queryFn: (context) =>
      api('GET /patchbay/accounts/:account_sid/reviewers', { params: { account_sid } }, queryCallOptions(context)),
  })

/** Period in which the next call to review is looked for. */
const searchedDays = 90

/** Returns the call to review that follows a call in the list, or undefined if there is none. */
export const findNextCall = async (
  owner: OwnerSid,
  { account_sid, call_sid, attempted_at }: ReviewedCallSids & { attempted_at: string },
): Promise<ReviewedCallSids | undefined> => {
  const after = formatCursor({ account_sid, call_sid, started_at: Date.parse(attempted_at) })
  const query = { ...lastDays(searchedDays), after, count: '1' }
  const { calls } =
    owner.account_sid === undefined
      ? await api('GET /patchbay/service-providers/:service_provider_sid/reviews', { params: owner, query })
      : await api('GET /patchbay/accounts/:account_sid/reviews', { params: owner, query })
  return calls[0]
}
