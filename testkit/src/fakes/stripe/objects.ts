import type { Json } from './http.ts'
import type {
  Customer,
  Invoice,
  InvoiceLine,
  PaymentIntent,
  PaymentMethod,
  Price,
  Product,
  State,
  Subscription,
  SubscriptionItem,
} from './state.ts'

/** API representations of the stored objects, in the version of the published SDK 23.1 (2026-10-28). */

export const currency = 'usd'

const list = (url: string, data: readonly Json[]): Json => ({ object: 'list', url, has_more: false, data })

export const productObject = (product: Product): Json => ({ object: 'product', livemode: false, ...product })

const decimal = (amount: number | null): string | null => (amount === null ? null : String(amount))

export const priceObject = (price: Price): Json => ({
  object: 'price',
  livemode: false,
  type: 'recurring',
  recurring: { interval: 'month', interval_count: 1, usage_type: 'licensed', trial_period_days: null, meter: null },
  metadata: {},
  ...price,
  unit_amount_decimal: decimal(price.unit_amount),
  tiers: price.tiers.map((tier) => ({
    ...tier,
    unit_amount_decimal: decimal(tier.unit_amount),
    flat_amount_decimal: decimal(tier.flat_amount),
  })),
})

export const customerObject = (customer: Customer): Json => {
  const { id, email, name, metadata, balance, created, default_payment_method } = customer
  if (customer.deleted) return { id, object: 'customer', deleted: true }
  const invoice_settings = { default_payment_method, custom_fields: null, footer: null }
  return { id, object: 'customer', livemode: false, email, name, metadata, balance, created, invoice_settings }
}

export const methodObject = (method: PaymentMethod): Json => {
  const { id, customer, brand, last4, exp_month, exp_year, created } = method
  const card = { brand, display_brand: brand, last4, exp_month, exp_year, funding: 'credit', country: 'US' }
  return { id, object: 'payment_method', livemode: false, type: 'card', customer, created, metadata: {}, card }
}

const itemObject = (state: State, { period_start, period_end, id }: Subscription, item: SubscriptionItem): Json => {
  const price = state.prices.get(item.price)
  return {
    id: item.id,
    object: 'subscription_item',
    subscription: id,
    quantity: item.quantity,
    metadata: item.metadata,
    price: price ? priceObject(price) : null,
    current_period_start: period_start,
    current_period_end: period_end,
  }
}

export const subscriptionObject = (state: State, subscription: Subscription): Json => {
  const { items, pending_update, period_end, period_start: _start, ...own } = subscription
  return {
    object: 'subscription',
    livemode: false,
    currency,
    collection_method: 'charge_automatically',
    billing_mode: { type: 'flexible' },
    ...own,
    start_date: own.created,
    cancel_at: own.cancel_at_period_end ? period_end : null,
    items: list(
      `/v1/subscription_items?subscription=${own.id}`,
      items.map((item) => itemObject(state, subscription, item)),
    ),
    pending_update: pending_update && {
      expires_at: pending_update.expires_at,
      subscription_items: pending_update.items.map((item) => itemObject(state, subscription, item)),
    },
  }
}

const lineObject = (invoice: string | null, subscription: string, line: InvoiceLine): Json => {
  const { price, product, proration, subscription_item, ...own } = line
  return {
    object: 'line_item',
    livemode: false,
    currency,
    invoice,
    subscription,
    subtotal: own.amount,
    metadata: {},
    ...own,
    pricing: { type: 'price_details', price_details: { price, product }, unit_amount_decimal: null },
    parent: {
      type: 'subscription_item_details',
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration,
        proration_details: null,
        subscription,
        subscription_item,
      },
    },
  }
}

export const intentObject = (intent: PaymentIntent): Json => ({
  object: 'payment_intent',
  livemode: false,
  amount_received: intent.status === 'succeeded' ? intent.amount : 0,
  next_action: intent.status === 'requires_action' ? { type: 'use_stripe_sdk', use_stripe_sdk: {} } : null,
  payment_method_types: ['card'],
  metadata: {},
  ...intent,
})

const toPayments = (invoice: Invoice): Json => {
  const url = `/v1/invoice_payments?invoice=${invoice.id}`
  if (invoice.payment_intent === null) return list(url, [])
  const payment = { type: 'payment_intent', payment_intent: invoice.payment_intent }
  const status = invoice.status === 'void' ? 'canceled' : invoice.status
  const amounts = {
    amount_requested: invoice.amount_due,
    amount_paid: invoice.status === 'paid' ? invoice.amount_due : null,
  }
  const id = `inpay_${invoice.id.slice(3)}`
  return list(url, [
    { id, object: 'invoice_payment', invoice: invoice.id, is_default: true, currency, status, payment, ...amounts },
  ])
}

export const invoiceObject = (state: State, invoice: Invoice): Json => {
  const { lines, subscription, payment_intent, ...own } = invoice
  const intent = state.intents.get(payment_intent ?? '')
  const metadata = state.subscriptions.get(subscription)?.metadata ?? {}
  return {
    object: 'invoice',
    livemode: false,
    currency,
    collection_method: 'charge_automatically',
    metadata: {},
    statement_descriptor: null,
    ...own,
    subtotal: own.total,
    amount_remaining: own.status === 'paid' ? 0 : own.amount_due,
    attempted: own.attempt_count > 0,
    auto_advance: own.next_payment_attempt !== null,
    lines: list(
      `/v1/invoices/${own.id}/lines`,
      lines.map((line) => lineObject(own.id, subscription, line)),
    ),
    parent: { type: 'subscription_details', quote_details: null, subscription_details: { metadata, subscription } },
    payments: toPayments(invoice),
    confirmation_secret: intent ? { type: 'payment_intent', client_secret: intent.client_secret } : null,
  }
}

/** Returns any object by its ID, for `expand`. */
export const objectById = (state: State, id: string): Json | undefined => {
  const { products, prices, customers, methods, subscriptions, invoices, intents } = state
  const of = <T>(things: ReadonlyMap<string, T>, object: (thing: T) => Json): Json | undefined => {
    const thing = things.get(id)
    return thing === undefined ? undefined : object(thing)
  }
  switch (id.split('_')[0]) {
    case 'prod':
      return of(products, productObject)
    case 'price':
      return of(prices, priceObject)
    case 'cus':
      return of(customers, customerObject)
    case 'pm':
      return of(methods, methodObject)
    case 'sub':
      return of(subscriptions, (subscription) => subscriptionObject(state, subscription))
    case 'in':
      return of(invoices, (invoice) => invoiceObject(state, invoice))
    case 'pi':
      return of(intents, intentObject)
    default:
      return undefined
  }
}
