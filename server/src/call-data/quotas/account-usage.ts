import { type Database, inTransaction, lockForUpdate, upsertIncrement } from '../../database/engine.ts'

/** Usage of quotas, with one row per account, kind, and UTC day. Shared by all processes. */

export type QuotaKind = 'calls' | 'alerts' | 'spans' | 'log lines' | 'agent events' | 'recordings'

/** Percentages of a quota at which an account gets an alert, each at most once per day. */
const alertLevels = [100, 80] as const
export type AlertLevel = (typeof alertLevels)[number]

/** The quota of an account for one day. */
export interface Quota {
  account_sid: string
  kind: QuotaKind
  /** UTC days since the Unix epoch. */
  day: number
  limit: number
}

/** Number of days to keep rows. */
const retentionDays = 7

/** Returns the highest alert level that an amount reaches, or 0. */
export const alertLevelFor = (amount: number, limit: number): AlertLevel | 0 =>
  alertLevels.find((level) => amount >= (limit * level) / 100) ?? 0

/** The amount after a change, and the alert level that was reached for the first time on this day, if any. */
interface UsageChange {
  amount: number
  reached: AlertLevel | undefined
}

/** Changes the stored amount. The row lock serializes changes by all processes. */
const changeUsage = (
  database: Database,
  { account_sid, kind, day, limit }: Quota,
  getNextAmount: (amount: number) => number,
): Promise<UsageChange & { before: number }> =>
  inTransaction(database, async (trx) => {
    const key = { account_sid, kind, day }
    await upsertIncrement(
      trx,
      database.engine,
      'patchbay_account_usage',
      [{ ...key, amount: 0, alerted: 0 }],
      ['amount'],
    )
    const row = trx
      .selectFrom('patchbay_account_usage')
      .select(['amount', 'alerted'])
      .where('account_sid', '=', account_sid)
      .where('kind', '=', kind)
      .where('day', '=', day)
    const { amount: before, alerted } = await lockForUpdate(database.engine, row).executeTakeFirstOrThrow()
    const amount = getNextAmount(before)
    const level = alertLevelFor(amount, limit)
    await trx
      .updateTable('patchbay_account_usage')
      .set({ amount, alerted: Math.max(level, alerted) })
      .where('account_sid', '=', account_sid)
      .where('kind', '=', kind)
      .where('day', '=', day)
      .execute()
    return { before, amount, reached: level !== 0 && level > alerted ? level : undefined }
  })

/** Adds to the usage of an account, up to its limit. Returns the amount that was added. */
export const addUsage = async (
  database: Database,
  quota: Quota,
  count: number,
): Promise<{ added: number; reached: AlertLevel | undefined }> => {
  const { before, amount, reached } = await changeUsage(database, quota, (stored) =>
    Math.max(stored, Math.min(stored + count, quota.limit)),
  )
  return { added: amount - before, reached }
}

/** Sets the current usage of an account, for quotas that do not reset daily. */
export const setUsage = async (database: Database, quota: Quota, amount: number): Promise<AlertLevel | undefined> =>
  (await changeUsage(database, quota, () => amount)).reached

/**
 * Deletes usage that is older than the retention period.
 * @param today UTC days since the Unix epoch
 */
export const removeOldUsage = async ({ db }: Database, today: number): Promise<void> => {
  await db
    .deleteFrom('patchbay_account_usage')
    .where('day', '<', today - retentionDays)
    .execute()
}
