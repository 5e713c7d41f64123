import { throwApiError } from '@patchbay/contract/api/errors'
import { type BillingContext, type BillingService, createIntentFields } from './billing-operation.ts'
import { cardOutcome, throwFailure } from './outcomes.ts'

/** Changes the card of an account, and pays what it owes with the new one. */

/** Returns the operation that changes the card. */
export const createCardChange = (context: BillingContext): BillingService['changeCard'] => {
  const { runAction, begin, carryOut } = context
  return (account_sid, actor, method) =>
    runAction(account_sid, actor, async (lease, { customer, billedCustomer }) => {
      if (customer === null)
        return throwApiError('stripe_customer_missing', {
          msg: `Account ${account_sid} is not provisioned in Stripe`,
        })
      const intent = {
        kind: 'card',
        ...createIntentFields(context),
        method,
        old: billedCustomer.card?.id ?? null,
      } as const
      await begin(lease, actor, intent)
      const done = await carryOut(lease, intent, actor)
      if (done.fault && done.billedCustomer.card?.id === billedCustomer.card?.id) return throwFailure(done.fault)
      const unpaidSubscription = done.billedCustomer.subscriptions.find(
        ({ status, hasPendingChange }) => status === 'incomplete' || status === 'owed' || hasPendingChange,
      )
      if (unpaidSubscription?.latestInvoice?.isOpen !== true) return { status: 'success' }
      const outcome = cardOutcome(unpaidSubscription)
      return outcome.status === 'action required'
        ? outcome
        : { ...outcome, status: 'failed to pay outstanding invoices' }
    })
}
