import { recordEvent } from './events.ts'
import { FakeStripeError, missing, refuse } from './http.ts'
import { currency, intentObject } from './objects.ts'
import {
  type Customer,
  type Invoice,
  type InvoiceLine,
  newId,
  type PaymentIntent,
  type PaymentMethod,
  type State,
  type Subscription,
} from './state.ts'

/** Invoices and their payment. */

const day = 86_400
/** Delays of the retries for a failed renewal. The subscription ends after the last one. */
export const retryAfter = [3 * day, 5 * day, 7 * day]

export const getInvoice = (state: State, id: string, param = 'id'): Invoice =>
  state.invoices.get(id) ?? missing('invoice', id, param)

export const getSubscription = (state: State, id: string, param = 'id'): Subscription =>
  state.subscriptions.get(id) ?? missing('subscription', id, param)

export const getCustomer = (state: State, id: string, param = 'id'): Customer => {
  const customer = state.customers.get(id)
  return customer && !customer.deleted ? customer : missing('customer', id, param)
}

export const getPaymentMethod = (state: State, id: string, param = 'id'): PaymentMethod =>
  state.methods.get(id) ?? missing('PaymentMethod', id, param)

/** Result of a charge. */
type Attempt = 'paid' | 'declined' | 'asks'

const becomePaid = (state: State, invoice: Invoice): void => {
  const subscription = getSubscription(state, invoice.subscription)
  const intent = state.intents.get(invoice.payment_intent ?? '')
  if (intent) {
    intent.status = 'succeeded'
    intent.last_payment_error = null
    const { customer, subscription: of, id } = invoice
    const taken = { customer, subscription: of, invoice: id, amount: intent.amount, status: subscription.status }
    state.charges.push({ ...taken, at: state.now })
    recordEvent(state, 'payment_intent.succeeded', intent.id)
  }
  invoice.status = 'paid'
  invoice.amount_paid = invoice.amount_due
  invoice.next_payment_attempt = null
  if (subscription.pending_update?.invoice === invoice.id) {
    subscription.items = subscription.pending_update.items
    subscription.pending_update = null
  }
  const isOwed = ['incomplete', 'past_due', 'unpaid'].includes(subscription.status)
  if (isOwed && subscription.latest_invoice === invoice.id) subscription.status = 'active'
  recordEvent(state, 'invoice.paid', invoice.id)
  recordEvent(state, 'invoice.payment_succeeded', invoice.id)
  recordEvent(state, 'customer.subscription.updated', subscription.id)
}

const declined = { type: 'card_error', code: 'card_declined', decline_code: 'generic_decline' } as const

const fail = (state: State, invoice: Invoice, intent: PaymentIntent, message = 'Your card was declined.'): void => {
  intent.status = 'requires_payment_method'
  intent.last_payment_error = { ...declined, message }
  recordEvent(state, 'payment_intent.payment_failed', intent.id)
  recordEvent(state, 'invoice.payment_failed', invoice.id)
}

const charge = (state: State, invoice: Invoice, method: PaymentMethod, offSession: boolean): Attempt => {
  const intent = state.intents.get(invoice.payment_intent ?? '')
  if (intent === undefined) throw new Error(`${invoice.id} has nothing to pay`)
  invoice.attempt_count += 1
  intent.payment_method = method.id
  if (method.kind === 'declines' || method.kind === 'refused') {
    fail(state, invoice, intent)
    return 'declined'
  }
  const asks = method.kind === 'always asks' || (method.kind === 'asks' && !method.authenticated)
  if (!asks) {
    becomePaid(state, invoice)
    return 'paid'
  }
  intent.status = offSession ? 'requires_payment_method' : 'requires_action'
  recordEvent(state, 'invoice.payment_action_required', invoice.id)
  recordEvent(state, 'invoice.payment_failed', invoice.id)
  return 'asks'
}

const methodFor = (state: State, { customer, subscription }: Invoice): PaymentMethod | undefined => {
  const id =
    state.subscriptions.get(subscription)?.default_payment_method ??
    state.customers.get(customer)?.default_payment_method
  return state.methods.get(id ?? '')
}

/** Charges the default card, if there is one. */
export const collect = (state: State, invoice: Invoice, offSession: boolean): Attempt => {
  if (invoice.payment_intent === null) {
    becomePaid(state, invoice)
    return 'paid'
  }
  const method = methodFor(state, invoice)
  if (method) return charge(state, invoice, method, offSession)
  const intent = state.intents.get(invoice.payment_intent)
  if (intent) fail(state, invoice, intent, 'There is no card to charge.')
  return 'declined'
}

const intentFor = (state: State, { customer, id, amount_due: amount }: Invoice): PaymentIntent => {
  const intent: PaymentIntent = {
    id: newId('pi'),
    client_secret: '',
    customer,
    invoice: id,
    amount,
    currency,
    status: 'requires_payment_method',
    payment_method: null,
    last_payment_error: null,
    created: state.now,
  }
  intent.client_secret = `${intent.id}_secret_${newId('s').slice(2)}`
  state.intents.set(intent.id, intent)
  return intent
}

/** Creates an open invoice. The customer's credit balance reduces the amount due. */
export const newInvoice = (
  state: State,
  { customer: owner, id: subscription }: Subscription,
  billing_reason: Invoice['billing_reason'],
  lines: InvoiceLine[],
): Invoice => {
  const customer = getCustomer(state, owner)
  const total = lines.reduce((sum, { amount }) => sum + amount, 0)
  const starting_balance = customer.balance
  const due = total + starting_balance
  customer.balance = Math.min(0, due)
  const invoice: Invoice = {
    id: newId('in'),
    customer: owner,
    subscription,
    billing_reason,
    status: 'open',
    lines,
    total,
    starting_balance,
    amount_due: Math.max(0, due),
    amount_paid: 0,
    attempt_count: 0,
    next_payment_attempt: null,
    created: state.now,
    payment_intent: null,
  }
  if (invoice.amount_due > 0) invoice.payment_intent = intentFor(state, invoice).id
  state.invoices.set(invoice.id, invoice)
  return invoice
}

/**
 * Voids an open invoice. If it is the first one, the subscription ends. If it belongs to a change, only the change is
 * discarded.
 */
export const voidInvoice = (state: State, invoice: Invoice): Invoice => {
  if (invoice.status !== 'open') refuse(`You can only pass in open invoices. This invoice is ${invoice.status}.`)
  invoice.status = 'void'
  invoice.next_payment_attempt = null
  const customer = state.customers.get(invoice.customer)
  // Restores the credit balance that was applied to the invoice.
  if (customer) customer.balance += invoice.amount_due - invoice.total
  const intent = state.intents.get(invoice.payment_intent ?? '')
  if (intent) intent.status = 'canceled'
  const subscription = getSubscription(state, invoice.subscription)
  recordEvent(state, 'invoice.voided', invoice.id)
  if (subscription.pending_update?.invoice === invoice.id) subscription.pending_update = null
  else if (subscription.status === 'incomplete') {
    subscription.status = 'incomplete_expired'
    subscription.ended_at = state.now
  } else if (subscription.latest_invoice === invoice.id && subscription.status === 'past_due')
    subscription.status = 'active'
  recordEvent(state, 'customer.subscription.updated', subscription.id)
  return invoice
}

const cardError = (code: string, message: string, intent: PaymentIntent): FakeStripeError =>
  new FakeStripeError(402, { type: 'card_error', code, message, payment_intent: intentObject(intent) })

/** Pays an invoice immediately, on request. */
export const payInvoice = (state: State, invoice: Invoice, method: PaymentMethod | undefined): Invoice => {
  if (invoice.status === 'paid') refuse('Invoice is already paid', { code: 'invoice_already_paid' })
  if (invoice.status !== 'open') refuse(`This invoice is ${invoice.status} and cannot be paid.`)
  if (method && method.customer !== invoice.customer)
    refuse(`The payment method ${method.id} does not belong to the customer of this invoice.`)
  const used = method ?? methodFor(state, invoice)
  if (used === undefined) return refuse('There is no default payment method.', { code: 'resource_missing' })
  const intent = state.intents.get(invoice.payment_intent ?? '')
  const attempt = intent ? charge(state, invoice, used, false) : collect(state, invoice, false)
  if (intent && attempt === 'declined')
    throw cardError('card_declined', intent.last_payment_error?.message ?? '', intent)
  if (intent && attempt === 'asks')
    throw cardError(
      'invoice_payment_intent_requires_action',
      'This payment requires additional user action before it can be completed successfully.',
      intent,
    )
  return invoice
}

/** Simulates the customer's response to the bank's authentication request in the browser. */
export const confirm = (state: State, intent: PaymentIntent, says: 'yes' | 'no'): PaymentIntent => {
  if (intent.status !== 'requires_action')
    refuse(`You cannot confirm this PaymentIntent because it has a status of ${intent.status}.`, {
      code: 'payment_intent_unexpected_state',
    })
  const invoice = getInvoice(state, intent.invoice)
  if (says === 'no') {
    fail(state, invoice, intent, 'We are unable to authenticate your payment method.')
    return intent
  }
  const method = state.methods.get(intent.payment_method ?? '')
  if (method) method.authenticated = true
  becomePaid(state, invoice)
  return intent
}
