import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../api/client.ts'
import { queryCallOptions } from '../../../api/shared-queries.ts'

/** Reads the log lines of a call. */
export const callLogsQuery = (account_sid: string, call_sid: string) =>
  queryOptions({
    queryKey: ['call-logs', account_sid, call_sid],
    queryFn: (context) =>
      api(
        'GET /Accounts/:account_sid/RecentCalls/:call_sid/logs',
        { params: { account_sid, call_sid }, query: {} },
        queryCallOptions(context),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  })
