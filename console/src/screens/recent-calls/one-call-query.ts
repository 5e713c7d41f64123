import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'

/** Reads the legs of one call, newest first. The list endpoint returns them if the filter is a complete call_sid. */
export const callQuery = (account_sid: string, call_sid: string) =>
  queryOptions({
    queryKey: ['call', account_sid, call_sid],
    queryFn: async (context) => {
      const query = { page: '1', count: '50', filter: call_sid }
      const { data } = await api(
        'GET /Accounts/:account_sid/RecentCalls',
        { params: { account_sid }, query },
        queryCallOptions(context),
      )
      return data.filter((leg) => leg.call_sid === call_sid)
    },
  })
