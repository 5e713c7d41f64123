import { type Database, sqlTime } from '../database/engine.ts'
import type { RunWrite } from '../database/write-transaction.ts'
import { assignStarterPlan, readAccount } from './subscription-rows.ts'

/** Ends expired trials (docs/decisions/0017-reconcile-billing-with-stripe.md). */

const batchSize = 100

/** Moves accounts with an expired trial to the free plan, so that they continue within its limits. */
export const expireTrials = async (
  { db, engine }: Pick<Database, 'db' | 'engine'>,
  write: RunWrite,
  now: Date,
): Promise<void> => {
  const expired = await db
    .selectFrom('accounts')
    .select('account_sid')
    .where('plan_type', '=', 'trial')
    .where('trial_end_date', '<', sqlTime(engine, now))
    .limit(batchSize)
    .execute()
  for (const { account_sid } of expired)
    await write('patchbay', async (tx) => {
      const account = await readAccount(tx.trx, engine, account_sid, true)
      if (account?.plan_type === 'trial') await assignStarterPlan(tx, account_sid, 'free')
    })
}
