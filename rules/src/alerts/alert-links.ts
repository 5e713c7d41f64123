import type { Alert } from '@patchbay/contract/alerts'
import { isSid } from '@patchbay/contract/shared/sids'
import { toAlertObject } from './alert-objects.ts'

/** Finds the pages of the console that links in messages about alerts open. Pure. */

export interface AlertLink {
  label: string
  /** Path below the address of the console. */
  path: string
}

/** Returns the call that an alert refers to, or undefined if it refers to none. */
export const findAlertCall = ({
  target_sid,
  account_sid,
}: Pick<Alert, 'target_sid' | 'account_sid'>): { account_sid: string; call_sid: string } | undefined =>
  target_sid && account_sid && target_sid !== account_sid && isSid(target_sid)
    ? { account_sid, call_sid: target_sid }
    : undefined

/** The list of alerts shows those of all accounts. */
const allAccounts = 'all'

/** Times of alerts can have nanoseconds, and the filter has milliseconds. Earlier alerts are not shown. */
const toFilterTime = (time: string): string | undefined =>
  Number.isNaN(Date.parse(time)) ? undefined : new Date(time).toISOString()

const formatListPath = (filters: Readonly<Record<string, string | undefined>>): string => {
  const query = Object.entries(filters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  )
  return `/internal/alerts?${query.join('&')}`
}

/** Returns the link to the record that an alert is about: the call, the carrier, or the alert in its list. */
export const findAlertLink = (alert: Alert): AlertLink => {
  const call = findAlertCall(alert)
  if (call) return { label: 'Show call', path: `/internal/recent-calls/${call.account_sid}/${call.call_sid}` }
  const { object_kind, object_id } = toAlertObject(alert)
  if (object_kind === 'carrier' && object_id !== null && isSid(object_id))
    return { label: 'Show carrier', path: `/internal/carriers/${object_id}/edit?tab=health` }
  const { account_sid, alert_type, time } = alert
  return {
    label: 'Show alert',
    path: formatListPath({ account: account_sid ?? allAccounts, since: toFilterTime(time), type: alert_type }),
  }
}

/** Returns the link to the list of several alerts, from the oldest one on. */
export const findAlertsLink = (alerts: readonly Alert[]): AlertLink => {
  const accounts = new Set(alerts.map(({ account_sid }) => account_sid))
  const [account = null] = accounts
  const oldest = alerts.map(({ time }) => toFilterTime(time) ?? '').toSorted()[0]
  return {
    label: 'Show alerts',
    path: formatListPath({
      account: accounts.size === 1 && account !== null ? account : allAccounts,
      since: oldest || undefined,
    }),
  }
}
