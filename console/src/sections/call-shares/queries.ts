import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'

/** Queries for the links to shared calls. */

/** The key of all links of an account, which those of a call begin with. */
export const callSharesKey = (account_sid: string) => ['call-shares', account_sid] as const

/** Reads the links to a call. */
export const linksOfCallQuery = (params: { account_sid: string; call_sid: string }) =>
  queryOptions({
    queryKey: [...callSharesKey(params.account_sid), params.call_sid],
    queryFn: (context) =>
      api('GET /patchbay/Accounts/:account_sid/Calls/:call_sid/Shares', { params }, queryCallOptions(context)),
  })

/**
 * Reads a page of the links of an account.
 * @param page from 1
 */
export const linksOfAccountQuery = (account_sid: string, page: number, size: number) =>
  queryOptions({
    queryKey: [...callSharesKey(account_sid), 'page', page, size],
    queryFn: (context) =>
      api(
        'GET /patchbay/Accounts/:account_sid/CallShares',
        { params: { account_sid }, query: { page: String(page - 1), page_size: String(size) } },
        queryCallOptions(context),
      ),
    placeholderData: keepPreviousData,
  })
