import type { Database } from '../../database/engine.ts'
import { createSqlAlerts } from '../alerts/sql-alerts.ts'
import type { AlertLevel, Quota } from './account-usage.ts'

const formatUnit = ({ kind, limit }: Quota): string => {
  const amount = limit.toLocaleString('en-US')
  return kind === 'recordings' ? `${amount} bytes of recordings` : `${amount} ${kind} of today (UTC)`
}

/**
 * Returns the message for an account that has used a part of its quota.
 * @param level used part in percent
 */
export const formatQuotaMessage = (quota: Quota, level: AlertLevel): string => {
  const used = `The account has used ${level === 100 ? 'all' : `${level} %`} of its quota: ${formatUnit(quota)}.`
  return level === 100 ? `${used} Further data is not stored.` : used
}

/**
 * Creates a function that raises an alert when an account approaches or reaches a quota. Unknown accounts get no alert.
 */
export const createQuotaAlerts = (database: Database, now: () => number = Date.now) => {
  const alerts = createSqlAlerts(database)
  return async (quota: Quota, level: AlertLevel): Promise<void> => {
    const { account_sid } = quota
    const account = await database.db
      .selectFrom('accounts')
      .select('service_provider_sid')
      .where('account_sid', '=', account_sid)
      .executeTakeFirst()
    if (account === undefined) return
    await alerts.store([
      {
        time: BigInt(now()) * 1_000_000n,
        account_sid,
        service_provider_sid: account.service_provider_sid,
        alert_type: level === 100 ? 'account-quota-reached' : 'account-quota-warning',
        message: formatQuotaMessage(quota, level),
        detail: null,
        target_sid: null,
        vendor: null,
        extra: {},
      },
    ])
  }
}
