import { call } from '../../api/client.ts'
import type { CallQuery } from '../../api/queries.ts'
import { allPages } from '../../page/all-pages.ts'

/** Every call that the filters show. */
export const allCalls = (account_sid: string, query: CallQuery) =>
  allPages('calls', (page) =>
    call('GET /Accounts/:account_sid/RecentCalls', { params: { account_sid }, query: { ...query, ...page } }),
  )
