import type { Alert } from '@patchbay/contract/alerts'
import { formatAlertType } from '@patchbay/contract/shared/alerts'
import type { DetailLayout } from '../../record/record-fields.ts'

/** In words, and as the API wants it. */
const namedType = (alert_type: string): string => {
  const text = formatAlertType(alert_type)
  return text === alert_type ? text : `${text} (${alert_type})`
}

/** The fields of an alert, in words and groups (api/4-calls-and-hosted.md §1.4). */
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
    ['What happened', ['time', 'alert_type', 'message', 'detail', 'vendor']],
    ['IDs', ['target_sid', 'account_sid', 'service_provider_sid']],
  ],
  kinds: { time: 'time' },
  formatters: { alert_type: namedType },
}

/** FNV-1a, 32 bits: enough to tell apart what one account was told in one instant. */
const hashOf = (text: string): string => {
  let hash = 2_166_136_261
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619)
  return (hash >>> 0).toString(36)
}

/** Alerts may be of one instant; then all that they say tells them apart. */
export const alertKey = (alert: Alert): string => `${alert.time}_${hashOf(JSON.stringify(alert))}`

const isSid = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

/** The call that an alert tells of; undefined where it tells of none. */
export const getCallLink = ({
  target_sid,
  account_sid,
}: Alert): { account_sid: string; call_sid: string } | undefined =>
  target_sid && account_sid && target_sid !== account_sid && isSid(target_sid)
    ? { account_sid, call_sid: target_sid }
    : undefined
