import { throwApiError } from '@patchbay/contract/api/errors'
import type { BillingContext, BillingService } from './billing-operation.ts'
import { toBillingApiError } from './outcomes.ts'

/** Creates and deletes the customers of accounts at Stripe. */

/** Returns the operation that finds or creates the customer. */
export const createCustomerLookUp = (context: BillingContext): BillingService['customerId'] => {
  const { findAccount, runAction, ensureCustomer } = context
  return async (account_sid, actor) => {
    const { stripe_customer_id } = await findAccount(account_sid)
    if (stripe_customer_id !== null) return stripe_customer_id
    if (actor.is_view_only) return throwApiError('view_only')
    return runAction(account_sid, actor, (lease) => ensureCustomer(lease, actor))
  }
}

/** Returns the operation that deletes the customer of an account without a subscription. */
export const createCustomerDeletion = (context: BillingContext): BillingService['forgetCustomer'] => {
  const { billing, runAction, callStripe, settle } = context
  return (account_sid, actor) =>
    runAction(account_sid, actor, async (lease, { customer, billedCustomer }) => {
      if (customer === null) return throwApiError('not_found')
      if (billedCustomer.subscriptions.some(({ status }) => status !== 'over'))
        return throwApiError('subscription_active')
      await callStripe(lease, () => billing.deleteCustomer(customer))
      await settle(lease, actor)
    })
}

/** Returns the operation that ends everything before an account is deleted. */
export const createClosing = (context: BillingContext): BillingService['close'] => {
  const { billing, findAccount, leases, catchUp, callStripe } = context
  return async (account_sid, author) => {
    try {
      const { stripe_customer_id } = await findAccount(account_sid)
      if (stripe_customer_id === null) return
      await leases.forAction(
        account_sid,
        async (lease) => {
          const { customer, billedCustomer } = await catchUp(lease, author)
          if (customer === null) return
          for (const { id, status, latestInvoice } of billedCustomer.subscriptions) {
            if (status === 'over') continue
            const open = latestInvoice?.isOpen ? latestInvoice.id : undefined
            if (status !== 'incomplete') await callStripe(lease, () => billing.cancel(id))
            if (open) await callStripe(lease, () => billing.dropInvoice(open, `close:${open}`))
          }
          await callStripe(lease, () => billing.deleteCustomer(customer))
        },
        true,
      )
    } catch (error) {
      throw toBillingApiError(error)
    }
  }
}
