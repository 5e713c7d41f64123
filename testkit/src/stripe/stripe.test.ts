import StripeLibrary from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startStripe, type Stripe, stripeKeys } from './stripe.ts'

/** The fake Stripe is compatible with the published SDK, and rejects what Stripe rejects. */

let fakeStripe: Stripe
let sdk: StripeLibrary
const libraryFor = (key: string): StripeLibrary => {
  const { hostname: host, port } = new URL(fakeStripe.settings.STRIPE_BASE_URL)
  return new StripeLibrary(key, { host, port, protocol: 'http', maxNetworkRetries: 0, timeout: 2000, telemetry: false })
}
beforeAll(async () => {
  fakeStripe = await startStripe()
  sdk = libraryFor(stripeKeys.secret)
})
afterAll(() => fakeStripe.close())

const month = 31 * 86_400

const customerWith = async (card: string): Promise<string> => {
  const { id } = await sdk.customers.create({ email: 'a@example.org' })
  const { id: method } = await sdk.paymentMethods.attach(fakeStripe.card(card).id, { customer: id })
  await sdk.customers.update(id, { invoice_settings: { default_payment_method: method } })
  return id
}

const subscribe = async (card: string, quantity = 5) => {
  const { session } = fakeStripe.sells()
  const customer = await customerWith(card)
  const subscription = await sdk.subscriptions.create({ customer, items: [{ price: session.id, quantity }] })
  const item = subscription.items.data[0]?.id ?? ''
  return { customer, session, subscription, item }
}

const getInvoiceId = ({ latest_invoice }: StripeLibrary.Subscription): string =>
  typeof latest_invoice === 'string' ? latest_invoice : (latest_invoice?.id ?? '')

const findCharges = (customer: string) => fakeStripe.state.charges.filter((charge) => charge.customer === customer)

test('charges a good card, again after a month, and half the price for an upgrade in the middle of the period', async () => {
  const { customer, subscription, item, session } = await subscribe('visa')
  expect(subscription.status).toBe('active')
  expect(findCharges(customer).map(({ amount }) => amount)).toEqual([5000])
  const end = subscription.items.data[0]?.current_period_end ?? 0
  fakeStripe.advance(Math.round((end - fakeStripe.state.now) / 2))
  const changed = await sdk.subscriptions.update(subscription.id, {
    items: [{ id: item, price: session.id, quantity: 10 }],
    proration_behavior: 'always_invoice',
    payment_behavior: 'pending_if_incomplete',
  })
  expect(changed.items.data[0]?.quantity).toBe(10)
  expect(findCharges(customer).at(-1)?.amount).toBe(2500)
  fakeStripe.advance(month)
  expect(findCharges(customer).at(-1)?.amount).toBe(10_000)
})

test('rejects a declined card, and waits for the authentication of a card that requires it', async () => {
  const { id: customer } = await sdk.customers.create()
  await expect(sdk.paymentMethods.attach(fakeStripe.card('chargeDeclined').id, { customer })).rejects.toMatchObject({
    statusCode: 402,
    code: 'card_declined',
    message: 'Your card was declined.',
  })
  const { subscription, customer: other } = await subscribe('authenticationRequiredOnSetup')
  expect(subscription.status).toBe('incomplete')
  const invoice = await sdk.invoices.retrieve(getInvoiceId(subscription), { expand: ['confirmation_secret'] })
  fakeStripe.confirm(invoice.confirmation_secret?.client_secret ?? '')
  expect((await sdk.subscriptions.retrieve(subscription.id)).status).toBe('active')
  expect(findCharges(other)).toHaveLength(1)
})

test('applies a change only after its payment', async () => {
  const { customer, subscription, item, session } = await subscribe('visa')
  const { id: bad } = await sdk.paymentMethods.attach(fakeStripe.card('chargeCustomerFail').id, { customer })
  await sdk.customers.update(customer, { invoice_settings: { default_payment_method: bad } })
  const changed = await sdk.subscriptions.update(subscription.id, {
    items: [{ id: item, price: session.id, quantity: 9 }],
    proration_behavior: 'always_invoice',
    payment_behavior: 'pending_if_incomplete',
  })
  expect([changed.items.data[0]?.quantity, changed.pending_update?.subscription_items?.[0]?.quantity]).toEqual([5, 9])
  const { id: good } = await sdk.paymentMethods.attach(fakeStripe.card('visa').id, { customer })
  await sdk.invoices.pay(getInvoiceId(changed), { payment_method: good })
  expect((await sdk.subscriptions.retrieve(subscription.id)).items.data[0]?.quantity).toBe(9)
})

test('retries a failed renewal and finally ends the subscription', async () => {
  const { customer, subscription } = await subscribe('visa')
  for (const method of fakeStripe.state.methods.values()) if (method.customer === customer) method.kind = 'declines'
  fakeStripe.advance(month)
  expect((await sdk.subscriptions.retrieve(subscription.id)).status).toBe('past_due')
  fakeStripe.advance(month)
  expect((await sdk.subscriptions.retrieve(subscription.id)).status).toBe('canceled')
  expect(findCharges(customer)).toHaveLength(1)
})

test('executes requests with the same idempotency key once', async () => {
  const one = await sdk.customers.create({ name: 'one' }, { idempotencyKey: 'k1' })
  expect((await sdk.customers.create({ name: 'one' }, { idempotencyKey: 'k1' })).id).toBe(one.id)
  await expect(sdk.customers.create({ name: 'two' }, { idempotencyKey: 'k1' })).rejects.toMatchObject({
    rawType: 'idempotency_error',
  })
  fakeStripe.trouble = () => ({ when: 'after', how: 'cut' })
  await expect(sdk.customers.create({ name: 'three' }, { idempotencyKey: 'k3' })).rejects.toThrow('connection')
  fakeStripe.trouble = undefined
  const three = await sdk.customers.create({ name: 'three' }, { idempotencyKey: 'k3' })
  expect([...fakeStripe.state.customers.values()].filter(({ name }) => name === 'three').map(({ id }) => id)).toEqual([
    three.id,
  ])
})

test('rejects the requests that Stripe rejects', async () => {
  const { session, customer, subscription } = await subscribe('visa')
  const refused = async (work: Promise<unknown>): Promise<unknown> => {
    try {
      return await work
    } catch (error) {
      const { statusCode, code } = error as { statusCode?: number; code?: string }
      return code === undefined ? statusCode : [statusCode, code]
    }
  }
  expect(await refused(libraryFor('sk_wrong').products.list())).toBe(401)
  expect(await refused(libraryFor(stripeKeys.publishable).products.list())).toBe(401)
  expect(await refused(sdk.customers.retrieve('cus_none'))).toEqual([404, 'resource_missing'])
  expect(await refused(sdk.subscriptions.create({ customer, items: [{ price: 'price_none' }] }))).toEqual([
    400,
    'resource_missing',
  ])
  expect(await refused(sdk.subscriptions.create({ customer }))).toEqual([400, 'parameter_missing'])
  expect(await refused(sdk.customers.create({ colour: 'red' } as never))).toEqual([400, 'parameter_unknown'])
  const { id: otherCustomer } = await sdk.customers.create()
  const [method] = [...fakeStripe.state.methods.values()].filter((one) => one.customer === customer)
  expect(await refused(sdk.paymentMethods.attach(method?.id ?? '', { customer: otherCustomer }))).toEqual([
    400,
    'payment_method_already_attached',
  ])
  expect(await refused(sdk.subscriptions.create({ customer: otherCustomer, items: [{ price: session.id }] }))).toEqual([
    400,
    'resource_missing',
  ])
  expect(await refused(sdk.invoices.pay(getInvoiceId(subscription)))).toEqual([400, 'invoice_already_paid'])
  session.active = false
  expect(await refused(sdk.subscriptions.create({ customer, items: [{ price: session.id }] }))).toBe(400)
  const pending = { cancel_at_period_end: true, payment_behavior: 'pending_if_incomplete' } as const
  expect(await refused(sdk.subscriptions.update(subscription.id, pending))).toBe(400)
  await sdk.subscriptions.cancel(subscription.id)
  expect(await refused(sdk.subscriptions.cancel(subscription.id))).toEqual([404, 'resource_missing'])
  expect(await refused(sdk.rawRequest('POST', '/v1/nothing', {}))).toBe(404)
})

test('signs events so that the SDK can verify them', async () => {
  await subscribe('visa')
  const events = fakeStripe.takeEvents()
  const types = events.map(({ payload, signature }) => {
    const event = sdk.webhooks.constructEvent(payload, signature, stripeKeys.webhook)
    return event.type
  })
  expect(types).toEqual(expect.arrayContaining(['customer.subscription.created', 'invoice.payment_succeeded']))
  expect(fakeStripe.takeEvents()).toEqual([])
})
