import { billedCategories, type StarterPlan, starterPlans } from '@patchbay/contract/rules/pricing'
import { randomUUID } from 'node:crypto'
import type { Write } from '../database/write.ts'

/** The plan that an account has without paying (api/4-calls-and-hosted.md §5.10). */
export const assignStarterPlan = async ({ trx }: Write, account_sid: string, plan: StarterPlan): Promise<void> => {
  const account_subscription_sid = randomUUID()
  await trx.insertInto('account_subscriptions').values({ account_subscription_sid, account_sid }).execute()
  for (const category of billedCategories) {
    const { product_sid } = await trx
      .selectFrom('products')
      .select('product_sid')
      .where('category', '=', category)
      .executeTakeFirstOrThrow()
    const quantity = starterPlans[plan][category]
    const row = { account_product_sid: randomUUID(), account_subscription_sid, product_sid, quantity }
    await trx.insertInto('account_products').values(row).execute()
  }
  await trx.updateTable('accounts').set({ plan_type: plan }).where('account_sid', '=', account_sid).execute()
}
