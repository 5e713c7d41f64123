import type { Database } from '../../database/engine.ts'
import type { AlertRecord } from './alert-record.ts'
import { createSqlAlertSink } from './sql-alerts.ts'

/** An alert that Patchbay raises itself for an account. */
export type AccountAlert = { account_sid: string } & Pick<AlertRecord, 'alert_type' | 'message'> &
  Partial<Pick<AlertRecord, 'detail' | 'target_sid'>>

/** Creates a function that raises an alert for an account. Unknown accounts get no alert. */
export const createAccountAlerts = (database: Database, now: () => number = Date.now) => {
  const alerts = createSqlAlertSink(database)
  return async ({
    account_sid,
    alert_type,
    message,
    detail = null,
    target_sid = null,
  }: AccountAlert): Promise<void> => {
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
        alert_type,
        message,
        detail,
        target_sid,
        vendor: null,
        extra: {},
      },
    ])
  }
}
