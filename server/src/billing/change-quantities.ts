import { randomUUID } from 'node:crypto'
import { throwApiError } from '@patchbay/contract/api/errors'
import { type BillingContext, type BillingService, requireRunning } from './billing-operation.ts'
import { cardOutcome, throwFailure, toBillingApiError } from './outcomes.ts'
import { checkProducts, toLineChanges } from './price-list.ts'
import { findCurrentSubscription, isSwitchedOff, sumQuantities } from './reconcile.ts'
import { addRow, categoriesBySid } from './subscription-rows.ts'

/** Changes the quantities of a subscription, and computes what a change costs. */

const formatDay = (at: number): string => new Date(at).toDateString()

/** Returns the operation that changes quantities. */
export const createQuantityChange = (context: BillingContext): BillingService['changeQuantities'] => {
  const { database, billing, now, runAction, callStripe, begin, carryOut, settle } = context
  return (account_sid, actor, products) =>
    runAction(account_sid, actor, async (lease, view) => {
      await checkProducts(context, account_sid, products)
      const categories = await categoriesBySid(database.db)
      const current = requireRunning(view)
      if (isSwitchedOff(view.account)) return throwApiError('account_deactivated')
      const { latestInvoice } = current
      const id = randomUUID()
      if (current.hasPendingChange && latestInvoice?.isOpen)
        await callStripe(lease, () => billing.dropInvoice(latestInvoice.id, `${id}:drop:${latestInvoice.id}`))
      const items = toLineChanges(current, products, categories)
      const resumes = current.endsWithPeriod
      if (items.length === 0 && !resumes) {
        await settle(lease, actor)
        return { status: 'success' }
      }
      const account_subscription_sid = randomUUID()
      const { id: subscription } = current
      const intent = {
        kind: 'quantities',
        id,
        begun: now(),
        account_subscription_sid,
        subscription,
        items,
        resumes,
      } as const
      const quantities = { ...sumQuantities(current, categories) }
      for (const { product_sid, quantity } of items) {
        const category = categories.get(product_sid)
        if (category) quantities[category] = quantity
      }
      const row = {
        account_sid,
        account_subscription_sid,
        pending: 1,
        stripe_subscription_id: subscription,
        quantities,
      } as const
      await begin(lease, actor, intent, async (tx) => {
        if (items.length > 0) await addRow(tx, row)
      })
      const done = await carryOut(lease, intent, actor)
      if (done.fault) return throwFailure(done.fault)
      const currentAfter = done.current
      if (currentAfter?.id === subscription && !currentAfter.hasPendingChange) return { status: 'success' }
      if (currentAfter?.latestInvoice?.payment?.needsCustomer) return cardOutcome(currentAfter)
      return { status: 'failed', reason: 'payment required' }
    })
}

/** Returns the operation that computes the costs of a change. */
export const createForecast = (context: BillingContext): BillingService['forecast'] => {
  const { database, billing, findAccount } = context
  return async (account_sid, products) => {
    try {
      const account = await findAccount(account_sid)
      await checkProducts(context, account_sid, products)
      const { stripe_customer_id: customer } = account
      if (customer === null) return throwApiError('no_subscription')
      const billedCustomer = await billing.customer(customer)
      const current = requireRunning({
        account,
        customer,
        billedCustomer,
        current: findCurrentSubscription(billedCustomer, account),
      })
      const items = toLineChanges(current, products, await categoriesBySid(database.db))
      const { currency, prorated, monthly, nextAt } = await billing.forecast(current.id, items)
      return { currency, prorated_cost: prorated, monthly_cost: monthly, next_invoice_date: formatDay(nextAt) }
    } catch (error) {
      throw toBillingApiError(error)
    }
  }
}
