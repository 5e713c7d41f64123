import type { Billing } from '../adapters/billing/billing.ts'
import type { Author } from '../database/write-transaction.ts'
import type { Intent } from './intents.ts'
import type { Lease } from './lease.ts'
import type { StripeAccounts } from './stripe-accounts.ts'

/** Executes the steps of intents at Stripe. Each step may have been done by an earlier attempt. */

type OneIntent<Kind extends Intent['kind']> = Extract<Intent, { kind: Kind }>

/** Returns a function that executes an intent. */
export const createIntentRunner = (
  billing: Billing,
  { findAccount, callStripe, readBilledCustomer, ensureCustomer }: StripeAccounts,
): ((lease: Lease, intent: Intent, author: Author) => Promise<void>) => {
  const payOpenInvoices = async (lease: Lease, key: string, customer: string, card: string): Promise<void> => {
    const { subscriptions } = await readBilledCustomer(lease, customer)
    for (const { status, hasPendingChange, latestInvoice } of subscriptions) {
      const isOwed = status === 'incomplete' || status === 'owed' || (status === 'running' && hasPendingChange)
      if (isOwed && latestInvoice?.isOpen)
        await callStripe(lease, () => billing.pay(latestInvoice.id, card, `${key}:pay:${latestInvoice.id}`))
    }
  }

  const upgrade = async (lease: Lease, intent: OneIntent<'upgrade'>, author: Author): Promise<void> => {
    const { id, account_subscription_sid, method, products } = intent
    const { account_sid } = lease
    const customer = await ensureCustomer(lease, author)
    await callStripe(lease, () => billing.useCard(customer, method, id))
    const { subscriptions } = await readBilledCustomer(lease, customer)
    // The subscription may exist from an attempt before a crash.
    if (subscriptions.some((one) => one.account_subscription_sid === account_subscription_sid)) return
    const purchase = { customer, account_sid, account_subscription_sid, items: products }
    await callStripe(lease, () => billing.subscribe(purchase, `${id}:subscribe`))
  }

  const changeQuantities = async (lease: Lease, { id, subscription, items, resumes }: OneIntent<'quantities'>) => {
    if (items.length > 0) await callStripe(lease, () => billing.changeItems(subscription, items, `${id}:items`))
    if (resumes) await callStripe(lease, () => billing.endWithPeriod(subscription, false, `${id}:resume`))
  }

  const changeCard = async (lease: Lease, { id, method, old }: OneIntent<'card'>): Promise<void> => {
    const { stripe_customer_id: customer } = await findAccount(lease.account_sid)
    if (customer === null) return
    const card = await callStripe(lease, () => billing.useCard(customer, method, id))
    if (old !== null && old !== card.id) await callStripe(lease, () => billing.forgetCard(old, `${id}:forget`))
    await payOpenInvoices(lease, id, customer, card.id)
  }

  const downgrade = async (lease: Lease, { id }: OneIntent<'downgrade'>): Promise<void> => {
    const account = await findAccount(lease.account_sid)
    const { subscriptions } = await readBilledCustomer(lease, account.stripe_customer_id)
    for (const { id: subscription, status, latestInvoice, hasPendingChange } of subscriptions) {
      const open = latestInvoice?.isOpen ? latestInvoice.id : undefined
      const drop = async () => {
        if (open) await callStripe(lease, () => billing.dropInvoice(open, `${id}:drop:${open}`))
      }
      if (status === 'incomplete') await drop()
      // Open invoices are voided after the cancellation, because voiding them first would reactivate the
      // subscription.
      if (status === 'owed') await callStripe(lease, () => billing.cancel(subscription))
      if (status === 'running') {
        if (hasPendingChange) await drop()
        await callStripe(lease, () => billing.endWithPeriod(subscription, true, `${id}:end:${subscription}`))
      }
    }
  }

  return (lease, intent, author) => {
    switch (intent.kind) {
      case 'upgrade':
        return upgrade(lease, intent, author)
      case 'quantities':
        return changeQuantities(lease, intent)
      case 'card':
        return changeCard(lease, intent)
      case 'downgrade':
        return downgrade(lease, intent)
    }
  }
}
