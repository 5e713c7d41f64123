import { randomUUID } from 'node:crypto'
import { throwApiError } from '@patchbay/contract/api/errors'
import { type BillingContext, type BillingService, createIntentFields } from './billing-operation.ts'
import { cardOutcome, throwFailure, toSuccess } from './outcomes.ts'
import { checkProducts } from './price-list.ts'
import { isSame, isSwitchedOff, sumQuantities } from './reconcile.ts'
import { addRow, assignStarterPlan, categoriesBySid } from './subscription-rows.ts'

/** Begins and ends subscriptions. */

/** Returns the operation that buys a subscription for an account without one. */
export const createUpgrade = (context: BillingContext): BillingService['upgrade'] => {
  const { database, billing, runAction, callStripe, begin, carryOut } = context
  return (account_sid, actor, { method, products }) =>
    runAction(account_sid, actor, async (lease, before) => {
      const quantities = await checkProducts(context, account_sid, products)
      const { account, current, billedCustomer } = before
      if (isSwitchedOff(account)) return throwApiError('account_deactivated')
      // An earlier attempt succeeded, but its response was lost.
      const isRetry = current?.status === 'running' && lease.intent?.kind === 'upgrade'
      if (isRetry && isSame(sumQuantities(current, await categoriesBySid(database.db)), quantities))
        return toSuccess(current)
      if (current) return throwApiError(current.status === 'running' ? 'already_subscribed' : 'payment_outstanding')
      const intent = {
        kind: 'upgrade',
        ...createIntentFields(context),
        account_subscription_sid: randomUUID(),
        method,
        products,
      } as const
      // An invoice of an earlier attempt with another card must never be paid in addition.
      for (const { status, latestInvoice } of billedCustomer.subscriptions)
        if (status === 'incomplete' && latestInvoice?.isOpen)
          await callStripe(lease, () => billing.dropInvoice(latestInvoice.id, `${intent.id}:drop:${latestInvoice.id}`))
      const { account_subscription_sid } = intent
      const row = {
        account_sid,
        account_subscription_sid,
        pending: 1,
        stripe_payment_method_id: method,
        quantities,
      } as const
      await begin(lease, actor, intent, async (tx) => void (await addRow(tx, row)))
      const done = await carryOut(lease, intent, actor)
      const purchased = done.billedCustomer.subscriptions.find(
        (one) => one.account_subscription_sid === account_subscription_sid,
      )
      if (purchased === undefined || purchased.status === 'over') return throwFailure(done.fault)
      return purchased.status === 'running' ? toSuccess(purchased) : cardOutcome(purchased)
    })
}

/** Returns the operation that lets the subscription end with its period. */
export const createDowngrade = (context: BillingContext): BillingService['downgrade'] => {
  const { write, runAction, begin, carryOut } = context
  return (account_sid, actor) =>
    runAction(account_sid, actor, async (lease, { account, billedCustomer }) => {
      if (billedCustomer.subscriptions.every(({ status }) => status === 'over')) {
        if (account.plan_type !== 'free') await write(actor, (tx) => assignStarterPlan(tx, account_sid, 'free'))
        return { status: 'success' }
      }
      const intent = { kind: 'downgrade', ...createIntentFields(context) } as const
      await begin(lease, actor, intent)
      const { fault } = await carryOut(lease, intent, actor)
      return fault ? throwFailure(fault) : { status: 'success' }
    })
}
