import type { Database } from '../../database/engine.ts'
import { createAccountAlerts } from '../alerts/account-alerts.ts'
import type { AlertLevel, Quota } from './account-usage.ts'

const formatUnit = ({ kind, limit }: Quota): string => {
  const amount = limit.toLocaleString('en-US')
  return kind === 'recordings' ? `${amount} bytes of recordings` : `${amount} ${kind} of today (UTC)`
}

/**
 * Returns the message for an account that has used a part of its quota.
 * @param level percentage that the used part has reached
 */
export const formatQuotaMessage = (quota: Quota, level: AlertLevel): string => {
  const used = `The account has used ${level === 100 ? 'all' : `at least ${level} %`} of its quota: ${formatUnit(quota)}.`
  return level === 100 ? `${used} Further data is not stored.` : used
}

/** Creates a function that raises an alert when an account approaches or reaches a quota. */
export const createQuotaAlerts = (database: Database, now: () => number = Date.now) => {
  const raise = createAccountAlerts(database, now)
  return (quota: Quota, level: AlertLevel): Promise<void> =>
    raise({
      account_sid: quota.account_sid,
      alert_type: level === 100 ? 'account-quota-reached' : 'account-quota-warning',
      message: formatQuotaMessage(quota, level),
    })
}
