import type { Alert } from '@patchbay/contract/alerts'
import { formatAlertType } from '@patchbay/rules/alerts/alerts'
import type { DetailLayout } from '../../record/record-fields.ts'

/** Formats a type as its label, followed by the API value in parentheses if the two differ. */
const formatTypeWithValue = (alert_type: string): string => {
  const text = formatAlertType(alert_type)
  return text === alert_type ? text : `${text} (${alert_type})`
}

/** Labels and groups for the fields of an alert (docs/reference/platform-api/call-records.md#alerts). */
export const alertShape: DetailLayout = {
  labels: {
    time: 'Time',
    alert_type: 'Type',
    message: 'Message',
    detail: 'Detail',
    vendor: 'Vendor',
    target_sid: 'Concerns',
    account_sid: 'Account SID',
    service_provider_sid: 'Service provider SID',
  },
  groups: [
    ['Alert', ['time', 'alert_type', 'message', 'detail', 'vendor']],
    ['IDs', ['target_sid', 'account_sid', 'service_provider_sid']],
  ],
  kinds: { time: 'time' },
  formatters: { alert_type: formatTypeWithValue },
}

/** Returns the FNV-1a hash of a text, 32 bits: enough to distinguish alerts of one account with the same timestamp. */
export const hashText = (text: string): string => {
  let hash = 2_166_136_261
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 16_777_619)
  return (hash >>> 0).toString(36)
}

/** Returns the row key of an alert. Alerts can share a timestamp, so the key includes a hash of the whole record. */
export const alertKey = (alert: Alert): string => `${alert.time}_${hashText(JSON.stringify(alert))}`
