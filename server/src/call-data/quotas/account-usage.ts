import { type Database, lockForUpdate, upsertIncrement, inTransaction } from '../../database/engine.ts'

/** What accounts have used of their quotas, a row for each account, kind, and UTC day. Shared by all processes. */

export type QuotaKind = 'calls' | 'alerts' | 'spans' | 'log lines' | 'recordings'

/** Percentages of a quota at which its account gets an alert, once a day each. */
const alertLevels = [100, 80] as const
export type AlertLevel = (typeof alertLevels)[number]

/** The quota of an account on a day. */
export interface Quota {
  account_sid: string
  kind: QuotaKind
  /** days since the epoch, in UTC */
  day: number
  limit: number
}

/** How long rows are kept. */
const keptDays = 7

export const alertLevelFor = (amount: number, limit: number): AlertLevel | 0 =>
  alertLevels.find((level) => amount >= (limit * level) / 100) ?? 0

/** The amount after a change, and the level that was reached for the first time on this day, if any. */
interface Changed {
  amount: number
  reached: AlertLevel | undefined
}

/** Changes the amount that is stored, of all processes one at a time. */
const change = (
  database: Database,
  { account_sid, kind, day, limit }: Quota,
  amountAfter: (amount: number) => number,
): Promise<Changed & { before: number }> =>
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
    const amount = amountAfter(before)
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

/** Adds to what an account has used, up to its limit. Returns how much was added. */
export const addUsage = async (
  database: Database,
  quota: Quota,
  count: number,
): Promise<{ added: number; reached: AlertLevel | undefined }> => {
  const { before, amount, reached } = await change(database, quota, (stored) =>
    Math.max(stored, Math.min(stored + count, quota.limit)),
  )
  return { added: amount - before, reached }
}

/** Stores what an account uses now, for a quota that does not start anew every day. */
export const setUsage = async (database: Database, quota: Quota, amount: number): Promise<AlertLevel | undefined> =>
  (await change(database, quota, () => amount)).reached

export const removeOldUsage = async ({ db }: Database, today: number): Promise<void> => {
  await db
    .deleteFrom('patchbay_account_usage')
    .where('day', '<', today - keptDays)
    .execute()
}
