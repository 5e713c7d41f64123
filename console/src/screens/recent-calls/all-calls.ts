import type { Call } from '@patchbay/contract/recent-calls'
import { call } from '../../api/client.ts'
import type { CallQuery } from '../../api/queries.ts'
import { toaster } from '../../page/toaster.ts'

/** The most that the server gives in a page, and that is taken along in all. */
const pageSize = 500
const most = 50_000

/** Every call that the filters show, page by page. */
export const allCalls = async (account_sid: string, query: CallQuery): Promise<Call[]> => {
  const found: Call[] = []
  for (let page = 1; found.length < most; page += 1) {
    const { data, total } = await call('GET /Accounts/:account_sid/RecentCalls', {
      params: { account_sid },
      query: { ...query, page: String(page), count: String(pageSize) },
    })
    found.push(...data)
    if (found.length >= total || data.length === 0) return found
  }
  toaster.failure(`Only the newest ${most.toLocaleString('en')} calls are taken along; choose fewer days for the rest`)
  return found
}
