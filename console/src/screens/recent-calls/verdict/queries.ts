import type { Alert } from '@patchbay/contract/alerts'
import type { Call } from '@patchbay/contract/recent-calls'
import { dayMs } from '@patchbay/contract/shared/durations'
import { alertDelayMs } from '@patchbay/rules/call-verdict/alert-rules'
import { getEnd } from '@patchbay/rules/call-verdict/evidence'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../api/client.ts'
import { queryCallOptions } from '../../../api/shared-queries.ts'

/** The API has no filter for the alerts of one call, so they are searched among this many in its period. */
const maxAlerts = 200

/** A recording is uploaded after the call, and the first attempt can wait for other accounts. */
const uploadAlertMs = dayMs
const uploadFailure = 'recording-upload-failure'

/**
 * Reads the alerts of the account from the attempt to the end of a call, and later ones about its recording, newest
 * first.
 */
export const callAlertsQuery = (call: Call) => {
  const { account_sid, attempted_at, recording_url } = call
  const uploadEnd = new Date(getEnd(call) + uploadAlertMs).toISOString()
  const end = new Date(getEnd(call) + alertDelayMs).toISOString()
  return queryOptions({
    queryKey: ['call-alerts', account_sid, attempted_at, end],
    queryFn: async (context) => {
      const start = new Date(Date.parse(attempted_at)).toISOString()
      const read = async (more: { end: string; alert_type?: string }) => {
        const query = { page: '1', count: String(maxAlerts), start, ...more }
        const options = queryCallOptions(context)
        return (await api('GET /Accounts/:account_sid/Alerts', { params: { account_sid }, query }, options)).data
      }
      const alerts = await read({ end })
      if (!recording_url) return alerts
      const later = await read({ end: uploadEnd, alert_type: uploadFailure })
      const isNew = ({ time }: Alert) => alerts.every((alert) => alert.time !== time)
      return [...later.filter(isNew), ...alerts]
    },
    staleTime: 60_000,
  })
}
