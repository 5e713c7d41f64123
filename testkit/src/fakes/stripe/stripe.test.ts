import StripeLibrary from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stripeKeys } from './request-checks.ts'
import { type Stripe, startStripe } from './stripe.ts'

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
  expect(await refused(libraryFor(stripeKeys.publishable).products.list())).toEqual([401, 'secret_key_required'])
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

interface Init {
  key?: string
  method?: string
  body?: string | URLSearchParams
  headers?: Readonly<Record<string, string>>
}

const send = async (path: string, init: Init) => {
  const { key = stripeKeys.secret, headers = {}, ...rest } = init
  const response = await fetch(`${fakeStripe.settings.STRIPE_BASE_URL}${path}`, {
    ...rest,
    headers: { authorization: `Bearer ${key}`, ...headers },
  })
  const { error } = (await response.json()) as { error?: { code?: string; message: string } }
  return [response.status, error?.code ?? error?.message]
}

test('rejects other API versions, and bodies that are not forms', async () => {
  const form = new URLSearchParams({ name: 'one' })
  expect(await send('/customers', { method: 'POST', body: form })).toEqual([200, undefined])
  const headers = { 'stripe-version': '2014-01-31' }
  expect(await send('/customers', { method: 'POST', body: form, headers })).toEqual([
    400,
    'Invalid Stripe API version: 2014-01-31',
  ])
  const json = { method: 'POST', body: '{"name":"one"}', headers: { 'content-type': 'application/json' } }
  expect(await send('/customers', json)).toEqual([400, expect.stringContaining('check that your POST content type')])
})

test('rejects unknown nested parameters, and more metadata than Stripe stores', async () => {
  const create = (more: object) => sdk.customers.create(more).then(({ metadata }) => metadata)
  await expect(create({ invoice_settings: { colour: 'red' } })).rejects.toMatchObject({
    code: 'parameter_unknown',
    param: 'invoice_settings[colour]',
  })
  await expect(create({ invoice_settings: 'none' })).rejects.toThrow('Invalid object')
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']))
  const largest = { ...keys(49), ['k'.repeat(40)]: 'v'.repeat(500) }
  expect(await create({ metadata: largest })).toEqual(largest)
  await expect(create({ metadata: keys(51) })).rejects.toThrow('up to 50 keys')
  await expect(create({ metadata: { ['k'.repeat(41)]: 'v' } })).rejects.toThrow('up to 40 characters')
  await expect(create({ metadata: { k: 'v'.repeat(501) } })).rejects.toThrow('up to 500 characters')
  const { id } = await sdk.customers.create({ metadata: keys(50) })
  await expect(sdk.customers.update(id, { metadata: { another: 'v' } })).rejects.toThrow('up to 50 keys')
  expect((await sdk.customers.update(id, { metadata: { k0: '', another: 'v' } })).metadata).toHaveProperty('another')
})

test('forgets idempotency keys after 24 hours, and rejects concurrent and too many requests', async () => {
  const create = () => sdk.customers.create({ name: 'one' }, { idempotencyKey: 'expires' }).then(({ id }) => id)
  const first = await create()
  fakeStripe.advance(24 * 3600 - 1)
  expect(await create()).toBe(first)
  fakeStripe.advance(1)
  expect(await create()).not.toBe(first)
  const options = { idempotencyKey: 'k'.repeat(256) }
  await expect(sdk.customers.create({}, options)).rejects.toMatchObject({ statusCode: 400 })
  for (const [how, code] of [
    ['409', 'idempotency_key_in_use'],
    ['429', 'rate_limit'],
  ] as const) {
    fakeStripe.trouble = () => ({ when: 'before', how })
    const request = () => sdk.customers.create({}, { idempotencyKey: how })
    await expect(request()).rejects.toMatchObject({ statusCode: Number(how), code })
    fakeStripe.trouble = undefined
    expect((await request()).id).toMatch(/^cus_/)
  }
})

test('shows and confirms a payment to a browser only with its client secret', async () => {
  const { subscription } = await subscribe('authenticationRequiredOnSetup')
  const invoice = await sdk.invoices.retrieve(getInvoiceId(subscription), { expand: ['confirmation_secret'] })
  const secret = invoice.confirmation_secret?.client_secret ?? ''
  const path = `/payment_intents/${secret.split('_secret_')[0]}`
  const browser = { key: stripeKeys.publishable }
  expect(await send(path, {})).toEqual([200, undefined])
  expect(await send(path, browser)).toEqual([400, 'parameter_missing'])
  expect(await send(`${path}?client_secret=wrong`, browser)).toEqual([400, 'payment_intent_invalid_parameter'])
  expect(await send(`${path}?client_secret=${secret}`, browser)).toEqual([200, undefined])
  const confirm = (form: Record<string, string>) =>
    send(`${path}/confirm`, { ...browser, method: 'POST', body: new URLSearchParams(form) })
  expect(await confirm({})).toEqual([400, 'parameter_missing'])
  expect(await confirm({ client_secret: secret })).toEqual([200, undefined])
  expect((await sdk.subscriptions.retrieve(subscription.id)).status).toBe('active')
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
