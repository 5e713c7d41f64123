import { recordEvent } from './events.ts'
import {
  FakeStripeError,
  type Form,
  flagIn,
  formIn,
  formsIn,
  integerIn,
  metadataIn,
  missing,
  refuse,
  textIn,
  validateParameters,
} from './http.ts'
import {
  collect,
  getCustomer,
  getPaymentMethod,
  getSubscription,
  newInvoice,
  retryAfter,
  voidInvoice,
} from './payments.ts'
import {
  type Customer,
  type Invoice,
  type InvoiceLine,
  newId,
  type Price,
  type State,
  type Subscription,
  type SubscriptionItem,
} from './state.ts'

/** Subscriptions: items, cost of changes, renewal, and cancellation. */

const day = 86_400
/** Time limit for the first payment and for the payment of a change. */
const patienceSeconds = 23 * 3600

/** Returns the same day of the next month, limited to the end of the month. */
const monthAfter = (seconds: number): number => {
  const at = new Date(seconds * 1000)
  const date = at.getUTCDate()
  at.setUTCDate(1)
  at.setUTCMonth(at.getUTCMonth() + 1)
  const last = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate()
  at.setUTCDate(Math.min(date, last))
  return Math.floor(at.getTime() / 1000)
}

export const computeAmount = ({ billing_scheme, unit_amount, tiers, tiers_mode }: Price, quantity: number): number => {
  if (billing_scheme === 'per_unit') return (unit_amount ?? 0) * quantity
  const reaches = (up_to: number | null) => up_to === null || up_to >= quantity
  if (tiers_mode === 'volume') {
    const tier = tiers.find(({ up_to }) => reaches(up_to))
    return (tier?.unit_amount ?? 0) * quantity + (tier?.flat_amount ?? 0)
  }
  let [sum, from] = [0, 0]
  for (const { up_to, unit_amount: unit, flat_amount: flat } of tiers) {
    if (quantity <= from) break
    const until = up_to === null ? quantity : Math.min(up_to, quantity)
    sum += (until - from) * (unit ?? 0) + (flat ?? 0)
    from = until
  }
  return sum
}

const getActivePrice = (state: State, id: string, param: string): Price => {
  const price = state.prices.get(id) ?? missing('price', id, param)
  if (!price.active) refuse(`The price specified is inactive. This field only accepts active prices.`, { param })
  if (state.products.get(price.product)?.active === false)
    refuse(`This price is not available to be purchased because its product is not active.`, { param })
  return price
}

const toInvoiceLine = (
  state: State,
  { price: of, quantity, id }: SubscriptionItem,
  more: Pick<InvoiceLine, 'period' | 'proration'> & { share?: number },
): InvoiceLine => {
  const { share = 1, ...rest } = more
  const price = state.prices.get(of)
  if (price === undefined) throw new Error(`no price ${of}`)
  const product = state.products.get(price.product)
  const amount = Math.round(computeAmount(price, quantity) * share)
  const description = `${quantity} × ${product?.name ?? ''}`
  const what = { price: price.id, product: price.product, quantity, subscription_item: id }
  return { id: newId('il'), amount, description, ...what, ...rest }
}

const isSame = (one: readonly SubscriptionItem[], other: readonly SubscriptionItem[]): boolean =>
  one.length === other.length &&
  one.every(({ id, price, quantity }) =>
    other.some((is) => is.id === id && is.price === price && is.quantity === quantity),
  )

/** Credits the unused part of removed items, and charges added items for the rest of the period. */
const prorations = (state: State, subscription: Subscription, items: readonly SubscriptionItem[]): InvoiceLine[] => {
  const { period_start, period_end } = subscription
  const share = Math.max(0, (period_end - state.now) / (period_end - period_start))
  const period = { start: state.now, end: period_end }
  const has = (list: readonly SubscriptionItem[], { id, price, quantity }: SubscriptionItem) =>
    list.some((is) => is.id === id && is.price === price && is.quantity === quantity)
  const removedItems = subscription.items.filter((item) => !has(items, item))
  const addedItems = items.filter((item) => !has(subscription.items, item))
  return [
    ...removedItems.map((item) => toInvoiceLine(state, item, { share: -share, period, proration: true })),
    ...addedItems.map((item) => toInvoiceLine(state, item, { share, period, proration: true })),
  ]
}

const wholePeriod = (state: State, items: readonly SubscriptionItem[], start: number): InvoiceLine[] => {
  const period = { start, end: monthAfter(start) }
  return items.map((item) => toInvoiceLine(state, item, { period, proration: false }))
}

/** Returns the items after a change. Existing items are identified by ID, new ones by price. */
export const changedItems = (
  state: State,
  items: readonly SubscriptionItem[],
  itemForms: readonly Form[],
): SubscriptionItem[] => {
  const changed = [...items]
  for (const [index, raw] of itemForms.entries()) {
    const form = validateParameters(raw, ['id', 'price', 'quantity', 'metadata', 'deleted'])
    const at = `items[${index}]`
    const [id, price] = [textIn(form, 'id'), textIn(form, 'price')]
    const quantity = integerIn(form, 'quantity')
    if (quantity !== undefined && quantity < 0) refuse('Invalid quantity.', { param: `${at}[quantity]` })
    const owner = changed.findIndex((item) => item.id === id)
    const was = changed[owner]
    if (id !== undefined && was === undefined) missing('subscription item', id, `${at}[id]`)
    if (was && flagIn(form, 'deleted')) changed.splice(owner, 1)
    else if (was) {
      if (price !== undefined) getActivePrice(state, price, `${at}[price]`)
      const metadata = metadataIn(form, was.metadata)
      changed[owner] = { ...was, price: price ?? was.price, quantity: quantity ?? was.quantity, metadata }
    } else {
      if (price === undefined) return refuse(`Missing required param: ${at}[price].`, { code: 'parameter_missing' })
      getActivePrice(state, price, `${at}[price]`)
      changed.push({ id: newId('si'), price, quantity: quantity ?? 1, metadata: metadataIn(form) })
    }
  }
  if (changed.length === 0) refuse('A subscription must have at least one active plan.')
  if (new Set(changed.map(({ price }) => price)).size < changed.length)
    refuse('Cannot add multiple subscription items with the same price.')
  return changed
}

const methodFor = (state: State, customer: Customer, form: Form): string | null => {
  const id = textIn(form, 'default_payment_method')
  if (id === undefined) return null
  if (getPaymentMethod(state, id, 'default_payment_method').customer !== customer.id)
    refuse(`The customer does not have a payment method with the ID ${id}.`, { param: 'default_payment_method' })
  return id
}

export const createSubscription = (state: State, raw: Form): Subscription => {
  const allowed = ['customer', 'items', 'metadata', 'default_payment_method', 'payment_behavior', 'off_session']
  const form = validateParameters(raw, allowed, ['customer', 'items'])
  const customer = getCustomer(state, textIn(form, 'customer') ?? '', 'customer')
  const behavior = textIn(form, 'payment_behavior') ?? 'allow_incomplete'
  if (!['allow_incomplete', 'error_if_incomplete'].includes(behavior))
    refuse(`Invalid payment_behavior: ${behavior}`, { param: 'payment_behavior' })
  const items = changedItems(state, [], formsIn(form, 'items'))
  const default_payment_method = methodFor(state, customer, form)
  if ((default_payment_method ?? customer.default_payment_method) === null)
    refuse('This customer has no attached payment source or default payment method.', { code: 'resource_missing' })
  const subscription: Subscription = {
    id: newId('sub'),
    customer: customer.id,
    status: 'incomplete',
    metadata: metadataIn(form),
    items,
    created: state.now,
    period_start: state.now,
    period_end: monthAfter(state.now),
    cancel_at_period_end: false,
    canceled_at: null,
    ended_at: null,
    default_payment_method,
    latest_invoice: '',
    pending_update: null,
  }
  state.subscriptions.set(subscription.id, subscription)
  const invoice = newInvoice(state, subscription, 'subscription_create', wholePeriod(state, items, state.now))
  subscription.latest_invoice = invoice.id
  recordEvent(state, 'customer.subscription.created', subscription.id)
  recordEvent(state, 'invoice.created', invoice.id)
  recordEvent(state, 'invoice.finalized', invoice.id)
  const attempt = collect(state, invoice, false)
  if (attempt !== 'paid' && behavior === 'error_if_incomplete') {
    voidInvoice(state, invoice)
    throw new FakeStripeError(402, { type: 'card_error', code: 'card_declined', message: 'Your card was declined.' })
  }
  return subscription
}

/**
 * No other parameters are allowed with `pending_if_incomplete` (docs.stripe.com/billing/subscriptions/pending-updates).
 */
const ofPendingUpdates = new Set(['items', 'payment_behavior', 'proration_behavior', 'proration_date', 'expand'])

const applyItems = (state: State, subscription: Subscription, items: SubscriptionItem[], form: Form): void => {
  if (isSame(items, subscription.items)) return
  const proration = textIn(form, 'proration_behavior') ?? 'create_prorations'
  if (proration !== 'always_invoice')
    refuse('Only proration_behavior=always_invoice is known here.', { param: 'proration_behavior' })
  const pends = textIn(form, 'payment_behavior') === 'pending_if_incomplete'
  const invoice = newInvoice(state, subscription, 'subscription_update', prorations(state, subscription, items))
  subscription.latest_invoice = invoice.id
  if (pends) subscription.pending_update = { expires_at: state.now + patienceSeconds, items, invoice: invoice.id }
  else subscription.items = items
  recordEvent(state, 'invoice.created', invoice.id)
  const attempt = collect(state, invoice, false)
  if (!pends && attempt !== 'paid') subscription.status = 'past_due'
}

export const updateSubscription = (state: State, id: string, raw: Form): Subscription => {
  const allowed = ['items', 'metadata', 'default_payment_method', 'cancel_at_period_end', 'payment_behavior']
  const form = validateParameters(raw, [...allowed, 'proration_behavior', 'proration_date'])
  const subscription = getSubscription(state, id)
  const { status } = subscription
  if (subscription.ended_at !== null)
    refuse('A canceled subscription can only update its cancellation_details and metadata.')
  const changes = Object.keys(form).filter((name) => name !== 'expand')
  if (status === 'incomplete' && changes.some((name) => name !== 'metadata' && name !== 'default_payment_method'))
    refuse('This subscription cannot be updated while its status is incomplete.')
  const pends = textIn(form, 'payment_behavior') === 'pending_if_incomplete'
  const beside = pends ? changes.find((name) => !ofPendingUpdates.has(name)) : undefined
  if (beside)
    refuse(`\`payment_behavior\` \`pending_if_incomplete\` does not allow changing \`${beside}\`.`, { param: beside })
  const items = formsIn(form, 'items')
  if (items.length > 0) {
    if (subscription.pending_update) refuse('This subscription has a pending update.')
    applyItems(state, subscription, changedItems(state, subscription.items, items), form)
  }
  const ends = flagIn(form, 'cancel_at_period_end')
  if (ends !== undefined) {
    subscription.cancel_at_period_end = ends
    subscription.canceled_at = ends ? state.now : null
  }
  if (form['default_payment_method'] !== undefined)
    subscription.default_payment_method = methodFor(state, getCustomer(state, subscription.customer), form)
  if (form['metadata'] !== undefined) subscription.metadata = metadataIn(form, subscription.metadata)
  recordEvent(state, 'customer.subscription.updated', id)
  return subscription
}

const end = (state: State, subscription: Subscription): void => {
  const { pending_update } = subscription
  const invoice = pending_update && state.invoices.get(pending_update.invoice)
  if (invoice?.status === 'open') voidInvoice(state, invoice)
  subscription.status = 'canceled'
  subscription.ended_at = state.now
  subscription.canceled_at ??= state.now
  // Open invoices are not retried anymore, but can still be paid.
  for (const owed of state.invoices.values())
    if (owed.subscription === subscription.id) owed.next_payment_attempt = null
  recordEvent(state, 'customer.subscription.deleted', subscription.id)
}

export const cancelSubscription = (state: State, id: string, form: Form): Subscription => {
  validateParameters(form, ['invoice_now', 'prorate', 'cancellation_details'])
  const subscription = getSubscription(state, id)
  if (subscription.ended_at !== null) missing('subscription', id, 'id')
  const first = state.invoices.get(subscription.latest_invoice)
  if (subscription.status === 'incomplete' && first?.status === 'open') voidInvoice(state, first)
  else end(state, subscription)
  return subscription
}

/** Returns the next invoice, optionally after a change. Stores nothing. */
export const previewInvoice = (state: State, raw: Form): Invoice => {
  const form = validateParameters(raw, ['customer', 'subscription', 'subscription_details'])
  const customer = textIn(form, 'customer')
  const named = textIn(form, 'subscription')
  if (customer === undefined && named === undefined)
    refuse('You must provide at least one of customer or subscription.', { code: 'parameter_missing' })
  if (customer !== undefined) getCustomer(state, customer, 'customer')
  const renews = ({ status, cancel_at_period_end }: Subscription) =>
    (status === 'active' || status === 'past_due') && !cancel_at_period_end
  const subscription =
    named === undefined
      ? [...state.subscriptions.values()].find((one) => one.customer === customer && renews(one))
      : getSubscription(state, named, 'subscription')
  const allowedDetails = ['items', 'proration_behavior', 'proration_date', 'cancel_at_period_end']
  const details = formIn(form, 'subscription_details', allowedDetails)
  const stays = flagIn(details, 'cancel_at_period_end') === false
  if (subscription === undefined || !(renews(subscription) || (stays && subscription.ended_at === null)))
    return refuse('No upcoming invoices for customer', { status: 404, code: 'invoice_upcoming_none' })
  const items = changedItems(state, subscription.items, formsIn(details, 'items'))
  const lines = [
    ...(isSame(items, subscription.items) ? [] : prorations(state, subscription, items)),
    ...wholePeriod(state, items, subscription.period_end),
  ]
  const total = lines.reduce((sum, { amount }) => sum + amount, 0)
  const starting_balance = state.customers.get(subscription.customer)?.balance ?? 0
  return {
    id: `upcoming_${newId('in')}`,
    customer: subscription.customer,
    subscription: subscription.id,
    billing_reason: 'subscription_cycle',
    status: 'open',
    lines,
    total,
    starting_balance,
    amount_due: Math.max(0, total + starting_balance),
    amount_paid: 0,
    attempt_count: 0,
    next_payment_attempt: subscription.period_end + 3600,
    created: subscription.period_end,
    payment_intent: null,
  }
}

const renew = (state: State, subscription: Subscription): void => {
  subscription.period_start = subscription.period_end
  subscription.period_end = monthAfter(subscription.period_start)
  const lines = wholePeriod(state, subscription.items, subscription.period_start)
  const invoice = newInvoice(state, subscription, 'subscription_cycle', lines)
  subscription.latest_invoice = invoice.id
  recordEvent(state, 'invoice.created', invoice.id)
  if (collect(state, invoice, true) === 'paid') return
  subscription.status = 'past_due'
  invoice.next_payment_attempt = state.now + (retryAfter[0] ?? 3 * day)
  recordEvent(state, 'customer.subscription.updated', subscription.id)
}

const retry = (state: State, subscription: Subscription, invoice: Invoice): void => {
  if (collect(state, invoice, true) === 'paid') return
  const wait = retryAfter[invoice.attempt_count - 1]
  if (wait === undefined) end(state, subscription)
  else invoice.next_payment_attempt = state.now + wait
}

/** Returns the next scheduled event of a subscription and its time. */
const findNextEvent = (state: State, subscription: Subscription): { at: number; happen: () => void } | undefined => {
  const { pending_update, status, created, period_end, cancel_at_period_end } = subscription
  if (subscription.ended_at !== null) return undefined
  const invoice = state.invoices.get(subscription.latest_invoice)
  if (status === 'incomplete')
    return invoice && { at: created + patienceSeconds, happen: () => voidInvoice(state, invoice) }
  const change = pending_update && state.invoices.get(pending_update.invoice)
  const events = [
    pending_update && change && { at: pending_update.expires_at, happen: () => voidInvoice(state, change) },
    invoice?.status === 'open' && invoice.next_payment_attempt !== null
      ? { at: invoice.next_payment_attempt, happen: () => retry(state, subscription, invoice) }
      : undefined,
    status === 'active'
      ? { at: period_end, happen: () => (cancel_at_period_end ? end(state, subscription) : renew(state, subscription)) }
      : undefined,
  ].filter((event) => event !== null && event !== undefined)
  return events.toSorted((one, other) => one.at - other.at)[0]
}

/** Advances the clock and runs all events that are due meanwhile. */
export const advance = (state: State, seconds: number): void => {
  const until = state.now + seconds
  for (;;) {
    const due = [...state.subscriptions.values()]
      .map((subscription) => findNextEvent(state, subscription))
      .filter((event) => event !== undefined && event.at <= until)
      .toSorted((one, other) => (one?.at ?? 0) - (other?.at ?? 0))[0]
    if (due === undefined) break
    state.now = Math.max(state.now, due.at)
    state.request = { id: null, idempotency_key: null }
    due.happen()
  }
  state.now = until
}

/** Ends all subscriptions of a deleted customer. */
export const endAll = (state: State, customer: string): void => {
  for (const subscription of state.subscriptions.values())
    if (subscription.customer === customer && subscription.ended_at === null) end(state, subscription)
}
