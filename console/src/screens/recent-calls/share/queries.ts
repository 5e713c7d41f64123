import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../api/client.ts'
import { queryCallOptions } from '../../../api/queries.ts'

/** Queries for the links to a call. */

export interface SharedCallParams {
  account_sid: string
  call_sid: string
}

export const callSharesKey = ({ account_sid, call_sid }: SharedCallParams) =>
  ['call-shares', account_sid, call_sid] as const

export const callSharesQuery = ({ account_sid, call_sid }: SharedCallParams) =>
  queryOptions({
    queryKey: callSharesKey({ account_sid, call_sid }),
    queryFn: (context) =>
      api(
        'GET /patchbay/Accounts/:account_sid/Calls/:call_sid/Shares',
        { params: { account_sid, call_sid } },
        queryCallOptions(context),
      ),
  })
