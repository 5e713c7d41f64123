import { recordEvent } from './events.ts'
import {
  FakeStripeError,
  type Form,
  flagIn,
  formIn,
  type Json,
  metadataIn,
  missing,
  refuse,
  textIn,
  toPage,
  validateParameters,
} from './http.ts'
import {
  customerObject,
  intentObject,
  invoiceObject,
  methodObject,
  objectById,
  priceObject,
  productObject,
  subscriptionObject,
} from './objects.ts'
import {
  confirm,
  getCustomer,
  getInvoice,
  getPaymentMethod,
  getSubscription,
  payInvoice,
  voidInvoice,
} from './payments.ts'
import { type CardKind, newestFirst, newId, type PaymentIntent, type PaymentMethod, type State } from './state.ts'
import { cancelSubscription, createSubscription, endAll, previewInvoice, updateSubscription } from './subscriptions.ts'

/** The supported routes of the Stripe API. */

interface RouteRequest {
  state: State
  /** The ID in the path. */
  id: string
  form: Form
  /** True if the request has the publishable key of browsers. */
  isPublishable: boolean
}

interface Route {
  method: 'GET' | 'POST' | 'DELETE'
  path: RegExp
  answer: (request: RouteRequest) => Json
  /** Set if the publishable key of browsers is sufficient. */
  publishable?: true
}

interface Card {
  kind: CardKind
  brand: string
  last4: string
}

/** Stripe's test cards by the end of their tokens (docs.stripe.com/testing). */
export const testCards: Readonly<Record<string, Card>> = {
  visa: { kind: 'good', brand: 'visa', last4: '4242' },
  mastercard: { kind: 'good', brand: 'mastercard', last4: '4444' },
  chargeDeclined: { kind: 'refused', brand: 'visa', last4: '0002' },
  chargeCustomerFail: { kind: 'declines', brand: 'visa', last4: '0341' },
  authenticationRequiredOnSetup: { kind: 'asks', brand: 'visa', last4: '3155' },
  authenticationRequired: { kind: 'always asks', brand: 'visa', last4: '3184' },
}

export const newMethod = (state: State, { kind, brand, last4 }: Card): PaymentMethod => {
  const method: PaymentMethod = {
    id: newId('pm'),
    customer: null,
    kind,
    brand,
    last4,
    exp_month: 12,
    exp_year: new Date(state.now * 1000).getUTCFullYear() + 3,
    authenticated: false,
    created: state.now,
  }
  state.methods.set(method.id, method)
  return method
}

/** Each use of a test token creates a new card. */
const namedMethod = (state: State, id: string): PaymentMethod => {
  const card = testCards[id.replace(/^pm_card_/, '')]
  return card && id.startsWith('pm_card_') ? newMethod(state, card) : getPaymentMethod(state, id)
}

const createMethod = ({ state, form }: RouteRequest): Json => {
  validateParameters(form, ['type', 'card', 'billing_details', 'metadata'], ['type'])
  if (form['type'] !== 'card') refuse('Only cards are taken here.', { param: 'type' })
  const token = textIn(formIn(form, 'card', ['token', 'number', 'exp_month', 'exp_year', 'cvc']), 'token') ?? ''
  const card = testCards[token.replace(/^tok_/, '')]
  return methodObject(card ? newMethod(state, card) : missing('token', token, 'card[token]'))
}

const attach = ({ state, id, form }: RouteRequest): Json => {
  validateParameters(form, ['customer'], ['customer'])
  const customer = getCustomer(state, textIn(form, 'customer') ?? '', 'customer')
  const method = namedMethod(state, id)
  if (method.customer !== null && method.customer !== customer.id)
    refuse('The payment method you provided has already been attached to a customer.', {
      code: 'payment_method_already_attached',
    })
  if (method.kind === 'refused')
    throw new FakeStripeError(402, {
      type: 'card_error',
      code: 'card_declined',
      decline_code: 'generic_decline',
      message: 'Your card was declined.',
    })
  method.customer = customer.id
  recordEvent(state, 'payment_method.attached', method.id)
  return methodObject(method)
}

const detach = ({ state, id, form }: RouteRequest): Json => {
  validateParameters(form, [])
  const method = getPaymentMethod(state, id)
  const customer = state.customers.get(method.customer ?? '')
  if (customer === undefined)
    return refuse('The payment method you provided is not attached to a customer so detachment is impossible.')
  if (customer.default_payment_method === id) customer.default_payment_method = null
  for (const subscription of state.subscriptions.values())
    if (subscription.default_payment_method === id) subscription.default_payment_method = null
  method.customer = null
  // A detached card cannot be used again.
  state.methods.delete(id)
  return methodObject(method)
}

const customerMembers = ['email', 'name', 'metadata', 'description', 'invoice_settings']

const invoiceSettings = ['default_payment_method', 'custom_fields', 'footer', 'rendering_options']

const createCustomer = ({ state, form }: RouteRequest): Json => {
  validateParameters(form, customerMembers)
  if (textIn(formIn(form, 'invoice_settings', invoiceSettings), 'default_payment_method') !== undefined)
    refuse('The default payment method must be attached to the customer.', { code: 'resource_missing' })
  const customer = {
    id: newId('cus'),
    deleted: false,
    email: textIn(form, 'email') ?? null,
    name: textIn(form, 'name') ?? null,
    metadata: metadataIn(form),
    default_payment_method: null,
    balance: 0,
    created: state.now,
  }
  state.customers.set(customer.id, customer)
  recordEvent(state, 'customer.created', customer.id)
  return customerObject(customer)
}

const updateCustomer = ({ state, id, form }: RouteRequest): Json => {
  validateParameters(form, customerMembers)
  const customer = getCustomer(state, id)
  const method = textIn(formIn(form, 'invoice_settings', invoiceSettings), 'default_payment_method')
  if (method !== undefined) {
    const attached = getPaymentMethod(state, method, 'invoice_settings[default_payment_method]')
    if (attached.customer !== id)
      refuse(`The customer does not have a payment method with the ID ${method}.`, { code: 'resource_missing' })
    customer.default_payment_method = method
  }
  customer.email = textIn(form, 'email') ?? customer.email
  customer.name = textIn(form, 'name') ?? customer.name
  customer.metadata = metadataIn(form, customer.metadata)
  recordEvent(state, 'customer.updated', id)
  return customerObject(customer)
}

const deleteCustomer = ({ state, id, form }: RouteRequest): Json => {
  validateParameters(form, [])
  const customer = getCustomer(state, id)
  endAll(state, id)
  customer.deleted = true
  for (const method of state.methods.values()) if (method.customer === id) state.methods.delete(method.id)
  recordEvent(state, 'customer.deleted', id)
  return customerObject(customer)
}

const anyCustomer = ({ state, id }: RouteRequest): Json =>
  customerObject(state.customers.get(id) ?? missing('customer', id, 'id'))

const filterBy = <T>(things: readonly T[], criteria: Partial<Record<keyof T, unknown>>): T[] =>
  things.filter((thing) =>
    Object.entries(criteria).every(([name, value]) => value === undefined || thing[name as keyof T] === value),
  )

const pages = ['limit', 'starting_after', 'ending_before']

const subscriptions = ({ state, form }: RouteRequest): Json => {
  validateParameters(form, [...pages, 'customer', 'status', 'price'])
  const [customer, status] = [textIn(form, 'customer'), textIn(form, 'status')]
  if (customer !== undefined && !state.customers.has(customer)) missing('customer', customer, 'customer')
  const all = filterBy(newestFirst(state.subscriptions), { customer })
  const matching = all.filter((one) => {
    if (status === 'all') return true
    return status === undefined ? one.ended_at === null : one.status === status
  })
  return toPage(
    '/v1/subscriptions',
    matching.map((one) => subscriptionObject(state, one)),
    form,
  )
}

const invoices = ({ state, form }: RouteRequest): Json => {
  validateParameters(form, [...pages, 'customer', 'status', 'subscription'])
  const criteria = {
    customer: textIn(form, 'customer'),
    subscription: textIn(form, 'subscription'),
    status: textIn(form, 'status') as never,
  }
  const matching = filterBy(newestFirst(state.invoices), criteria)
  return toPage(
    '/v1/invoices',
    matching.map((one) => invoiceObject(state, one)),
    form,
  )
}

const products = ({ state, form }: RouteRequest): Json => {
  validateParameters(form, [...pages, 'active'])
  const matching = filterBy(newestFirst(state.products), { active: flagIn(form, 'active') })
  return toPage('/v1/products', matching.map(productObject), form)
}

const prices = ({ state, form }: RouteRequest): Json => {
  validateParameters(form, [...pages, 'active', 'product', 'currency', 'type'])
  const criteria = {
    active: flagIn(form, 'active'),
    product: textIn(form, 'product'),
    currency: textIn(form, 'currency'),
  }
  return toPage('/v1/prices', filterBy(newestFirst(state.prices), criteria).map(priceObject), form)
}

const one =
  (what: string) =>
  ({ state, id }: RouteRequest): Json =>
    objectById(state, id) ?? missing(what, id, 'id')

/** Returns a payment. Browsers have to prove with its secret that the payment is theirs. */
const getIntent = ({ state, id, form, isPublishable }: RouteRequest): PaymentIntent => {
  const intent = state.intents.get(id) ?? missing('payment_intent', id, 'intent')
  const secret = textIn(form, 'client_secret')
  if (secret === undefined && isPublishable)
    refuse('Missing required param: client_secret.', { code: 'parameter_missing', param: 'client_secret' })
  if (secret !== undefined && secret !== intent.client_secret)
    refuse('The client_secret provided does not match any associated PaymentIntent on this account.', {
      code: 'payment_intent_invalid_parameter',
      param: 'client_secret',
    })
  return intent
}

const readIntent = (request: RouteRequest): Json => {
  validateParameters(request.form, ['client_secret'])
  return intentObject(getIntent(request))
}

/** Called by the browser's library. The customer always responds to the bank. */
const confirmIntent = (request: RouteRequest): Json => {
  validateParameters(request.form, ['client_secret', 'return_url', 'payment_method'])
  return intentObject(confirm(request.state, getIntent(request), 'yes'))
}

const pay = ({ state, id, form }: RouteRequest): Json => {
  validateParameters(form, ['payment_method', 'off_session', 'paid_out_of_band'])
  const method = textIn(form, 'payment_method')
  const used = method === undefined ? undefined : getPaymentMethod(state, method, 'payment_method')
  return invoiceObject(state, payInvoice(state, getInvoice(state, id), used))
}

const at = (path: string): RegExp => new RegExp(`^/v1/${path.replace(':id', '([^/]+)')}$`)

export const routes: readonly Route[] = [
  { method: 'GET', path: at('products'), answer: products },
  { method: 'GET', path: at('products/:id'), answer: one('product') },
  { method: 'GET', path: at('prices'), answer: prices },
  { method: 'GET', path: at('prices/:id'), answer: one('price') },
  { method: 'POST', path: at('customers'), answer: createCustomer },
  { method: 'GET', path: at('customers/:id'), answer: anyCustomer },
  { method: 'POST', path: at('customers/:id'), answer: updateCustomer },
  { method: 'DELETE', path: at('customers/:id'), answer: deleteCustomer },
  { method: 'POST', path: at('payment_methods'), answer: createMethod, publishable: true },
  { method: 'GET', path: at('payment_methods/:id'), answer: one('PaymentMethod') },
  { method: 'POST', path: at('payment_methods/:id/attach'), answer: attach },
  { method: 'POST', path: at('payment_methods/:id/detach'), answer: detach },
  { method: 'GET', path: at('subscriptions'), answer: subscriptions },
  {
    method: 'POST',
    path: at('subscriptions'),
    answer: ({ state, form }) => subscriptionObject(state, createSubscription(state, form)),
  },
  { method: 'GET', path: at('subscriptions/:id'), answer: one('subscription') },
  {
    method: 'POST',
    path: at('subscriptions/:id'),
    answer: ({ state, id, form }) =>
      subscriptionObject(state, updateSubscription(state, getSubscription(state, id).id, form)),
  },
  {
    method: 'DELETE',
    path: at('subscriptions/:id'),
    answer: ({ state, id, form }) => subscriptionObject(state, cancelSubscription(state, id, form)),
  },
  { method: 'GET', path: at('invoices'), answer: invoices },
  {
    method: 'POST',
    path: at('invoices/create_preview'),
    answer: ({ state, form }) => invoiceObject(state, previewInvoice(state, form)),
  },
  { method: 'GET', path: at('invoices/:id'), answer: one('invoice') },
  { method: 'POST', path: at('invoices/:id/pay'), answer: pay },
  {
    method: 'POST',
    path: at('invoices/:id/void'),
    answer: ({ state, id, form }) => {
      validateParameters(form, [])
      return invoiceObject(state, voidInvoice(state, getInvoice(state, id)))
    },
  },
  { method: 'GET', path: at('payment_intents/:id'), answer: readIntent, publishable: true },
  { method: 'POST', path: at('payment_intents/:id/confirm'), answer: confirmIntent, publishable: true },
]
