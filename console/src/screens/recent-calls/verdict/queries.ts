import { alertDelayMs } from '@patchbay/contract/call-verdict/alert-rules'
import { getEnd } from '@patchbay/contract/call-verdict/evidence'
import type { Call } from '@patchbay/contract/recent-calls'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../api/client.ts'
import { queryCallOptions } from '../../../api/queries.ts'

/** The API has no filter for the alerts of one call, so they are searched among this many in its period. */
const maxAlerts = 200

/** Reads the alerts of the account from the attempt to the end of a call, newest first. */
export const callAlertsQuery = (call: Call) => {
  const { account_sid, attempted_at } = call
  const end = new Date(getEnd(call) + alertDelayMs).toISOString()
  return queryOptions({
    queryKey: ['call-alerts', account_sid, attempted_at, end],
    queryFn: async (context) => {
      const start = new Date(Date.parse(attempted_at)).toISOString()
      const query = { page: '1', count: String(maxAlerts), start, end }
      const { data } = await api(
        'GET /Accounts/:account_sid/Alerts',
        { params: { account_sid }, query },
        queryCallOptions(context),
      )
      return data
    },
    staleTime: 60_000,
  })
}
