import { expireTrials } from '@patchbay/server/billing/trials'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Customer, openShop, type Shop, toCaller } from './billing-support.ts'
import { getMessage, getRow, getRows, sorted, statusAndMessage } from './fixtures.ts'

/** Billing with a fake Stripe server that stores state and charges payments. */

let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})
afterEach(() => {
  shop.stripe.trouble = undefined
})
afterAll(() => shop.close())

const month = 31 * 86_400

const paying = async (sessions = 5, devices?: number): Promise<Customer> => {
  const customer = await shop.customer()
  const answer = await customer.upgrade('visa', sessions, devices)
  expect([answer.status, answer.body.status]).toEqual([201, 'success'])
  return customer
}

const findSubscription = async (customer: Customer) => {
  const id = await customer.stripeId()
  const subscriptions = [...shop.stripe.state.subscriptions.values()].filter((one) => one.customer === id)
  return subscriptions.at(-1) ?? expect.unreachable('no subscription')
}

const badCard = async (customer: Customer, kind: 'declines' | 'always asks' = 'declines'): Promise<void> => {
  const id = await customer.stripeId()
  for (const method of shop.stripe.state.methods.values()) if (method.customer === id) method.kind = kind
}

describe('the price list', () => {
  test('API-120 BILLING-33 describes each product and its price in cents', async () => {
    const { caller } = await shop.customer()
    const list = getRows(await caller.get('/Prices'))
    expect(sorted(list.map(({ category }) => category))).toEqual(['device', 'voice_call_session'])
    const session = list.find(({ category }) => category === 'voice_call_session')
    expect(session).toMatchObject({
      name: 'concurrent call session',
      unit_label: 'per session',
      product_sid: 'c4403cdb-8e75-4b27-9726-7d8315e3216d',
      stripe_product_id: expect.stringMatching(/^prod_/),
      prices: [
        {
          currency: 'usd',
          billing_scheme: 'per_unit',
          unit_amount: 1000,
          stripe_price_id: expect.stringMatching(/^price_/),
          tiers: [],
        },
      ],
    })
    const device = list.find(({ category }) => category === 'device')
    expect(device).toMatchObject({
      name: 'registered device',
      unit_label: 'device',
      stripe_product_id: expect.stringMatching(/^prod_/),
      prices: [
        {
          currency: 'usd',
          billing_scheme: 'per_unit',
          unit_amount: 200,
          stripe_price_id: expect.stringMatching(/^price_/),
          tiers: [],
        },
      ],
    })
    expect(device?.['product_sid']).not.toBe(session?.['product_sid'])
  })

  test('BILLING-13 a quantity above the last tier, which has no price, is rejected and costs nothing', async () => {
    const other = await openShop()
    for (const product of other.stripe.state.products.values()) product.metadata = {}
    const tiers = [
      { up_to: 10, unit_amount: null, flat_amount: 4000 },
      { up_to: 50, unit_amount: 350, flat_amount: null },
    ]
    other.stripe.sells({ session: { billing_scheme: 'tiered', tiers_mode: 'volume', tiers, unit_amount: null } })
    const customer = await other.customer()
    const list = getRows(await customer.caller.get('/Prices'))
    const session = list.find(({ category }) => category === 'voice_call_session') ?? {}
    const [price] = session['prices'] as { stripe_price_id: string }[]
    const upgrade = (quantity: number) =>
      customer.act('upgrade-to-paid', {
        payment_method_id: other.stripe.card('visa').id,
        products: [{ product_sid: session['product_sid'], price_id: price?.stripe_price_id, quantity }],
      })
    const rejected = await upgrade(51)
    expect(rejected).toMatchObject({ status: 400, body: { field: 'products' } })
    expect(getMessage(rejected)).toBe('quantity must be at most 50')
    expect(customer.paid()).toEqual([])
    expect(await customer.plan()).toMatchObject({ plan_type: 'trial' })
    expect((await upgrade(50)).status).toBe(201)
    expect(customer.paid()).toEqual([50 * 350])
    await other.close()
  })

  test('BILLING-33 tiers contain the last capacity, unit amount, and flat amount; inactive and foreign prices are omitted', async () => {
    const other = await openShop()
    const { state } = other.stripe
    for (const product of state.products.values()) product.metadata = {}
    const tiers = [
      { up_to: 10, unit_amount: null, flat_amount: 4000 },
      { up_to: null, unit_amount: 350, flat_amount: null },
    ]
    const { session } = other.stripe.sells({
      session: { billing_scheme: 'tiered', tiers_mode: 'volume', tiers, unit_amount: null },
    })
    const old = { ...session, id: 'price_old', active: false }
    state.prices.set(old.id, old)
    const list = getRows(await (await other.customer()).caller.get('/Prices'))
    const tiered = list.find(({ category }) => category === 'voice_call_session')
    expect(tiered?.['prices']).toMatchObject([{ stripe_price_id: session.id, billing_scheme: 'tiered', tiers }])
    await other.close()
  })

  test("contains the account's own offers instead of the general ones", async () => {
    const customer = await shop.customer()
    const { session } = shop.stripe.sells({ session: { unit_amount: 700 } })
    const product = shop.stripe.state.products.get(session.product)
    if (product) product.metadata = { jambonz_category: 'voice_call_session' }
    const offer = { account_sid: customer.account_sid, product_sid: 'c4403cdb-8e75-4b27-9726-7d8315e3216d' }
    await shop.api.test.database.db
      .insertInto('account_offers')
      .values({ account_offer_sid: crypto.randomUUID(), ...offer, stripe_product_id: session.product })
      .execute()
    const list = getRows(await customer.caller.get('/Prices'))
    const sessions = list.filter(({ category }) => category === 'voice_call_session')
    expect(sessions.map(({ stripe_product_id }) => stripe_product_id)).toEqual([session.product])
    for (const one of [...shop.stripe.state.products.values()].slice(2)) one.active = false
  })
})

describe('the Stripe customer of an account', () => {
  test('API-121 is returned, created on first use, and remains the same', async () => {
    const customer = await shop.customer()
    const first = getRow(await customer.caller.get('/StripeCustomerId'))
    expect(first).toEqual({ stripe_customer_id: await customer.stripeId() })
    expect(getRow(await customer.caller.get('/StripeCustomerId'))).toEqual(first)
    const stripeCustomer = shop.stripe.state.customers.get(String(first['stripe_customer_id']))
    expect(stripeCustomer).toMatchObject({ metadata: { account_sid: customer.account_sid } })
  })

  test('can be deleted only without a subscription', async () => {
    const customer = await paying()
    expect((await customer.caller.delete('/StripeCustomerId')).status).toBe(422)
    const other = await shop.customer()
    await other.caller.get('/StripeCustomerId')
    expect((await other.caller.delete('/StripeCustomerId')).status).toBe(204)
    expect(await other.stripeId()).toBeNull()
    expect((await other.caller.delete('/StripeCustomerId')).status).toBe(404)
    const again = getRow(await other.caller.get('/StripeCustomerId'))
    expect(shop.stripe.state.customers.get(String(again['stripe_customer_id']))?.deleted).toBe(false)
  })
})

describe('upgrade', () => {
  test('API-122 API-123 BILLING-34 with a good card, the payment succeeds and the plan is active', async () => {
    const customer = await shop.customer()
    expect(await customer.plan()).toEqual({ plan_type: 'trial', status: 'active', sessions: 5, devices: 0 })
    const answer = await customer.upgrade('visa', 8, 3)
    expect([answer.status, answer.body]).toEqual([
      201,
      { status: 'success', chargedAmount: 8600, currency: 'usd', statementDescriptor: null },
    ])
    expect(await customer.plan()).toEqual({ plan_type: 'paid', status: 'active', sessions: 8, devices: 3 })
    expect(customer.paid()).toEqual([8600])
    const { subscription } = getRow(await customer.caller.get('/Users/me'))
    expect(subscription).toMatchObject({ card_type: 'visa', last4: '4242', exp_month: 12 })
    const raw = getRow(await customer.caller.get('/Subscriptions'))
    expect(raw).toMatchObject({ status: 'active', latest_invoice: { status: 'paid' } })
  })

  test('API-123 BILLING-34 a card that requires authentication: action required, and the plan becomes active with the payment', async () => {
    const customer = await shop.customer()
    const { status, body } = await customer.upgrade('authenticationRequiredOnSetup')
    expect([status, body]).toEqual([
      201,
      {
        status: 'action required',
        subscription: expect.stringMatching(/^sub_/) as string,
        client_secret: expect.stringMatching(/_secret_/) as string,
      },
    ])
    expect((await customer.plan()).plan_type).toBe('trial')
    expect(customer.paid()).toEqual([])
    shop.stripe.confirm(body.client_secret ?? '')
    await shop.deliver()
    expect((await customer.plan()).plan_type).toBe('paid')
    expect(customer.paid()).toEqual([5000])
  })

  test('API-123 API-124 BILLING-34 a card that is declined on charge: card error, and another card completes the upgrade', async () => {
    const customer = await shop.customer()
    const { status, body } = await customer.upgrade('chargeCustomerFail')
    expect([status, body.status, body.reason]).toEqual([201, 'card error', 'Your card was declined.'])
    expect((await customer.plan()).plan_type).toBe('trial')
    const again = await customer.act('update-payment-method', { payment_method_id: shop.stripe.card('mastercard').id })
    expect([again.status, again.body.status]).toEqual([200, 'success'])
    expect((await customer.plan()).plan_type).toBe('paid')
    expect(customer.paid()).toEqual([5000])
  })

  test("an immediately declined card causes Stripe's error message and no change", async () => {
    const customer = await shop.customer()
    expect(statusAndMessage(await customer.upgrade('chargeDeclined'))).toEqual([402, 'Your card was declined.'])
    expect(await customer.plan()).toEqual({ plan_type: 'trial', status: 'active', sessions: 5, devices: 0 })
    expect((await customer.upgrade('visa')).body.status).toBe('success')
    expect(customer.paid()).toEqual([5000])
  })

  test('a second upgrade replaces one that waits for authentication, which can then never be paid', async () => {
    const customer = await shop.customer()
    const first = await customer.upgrade('authenticationRequiredOnSetup')
    expect((await customer.upgrade('visa', 6)).body.status).toBe('success')
    expect(() => shop.stripe.confirm(first.body.client_secret ?? '')).toThrow('canceled')
    await shop.deliver()
    expect(customer.paid()).toEqual([6000])
    expect((await customer.plan()).sessions).toBe(6)
  })

  test('invalid products are rejected before a request to Stripe', async () => {
    const customer = await shop.customer()
    const [session, device] = shop.both()
    const payment_method_id = shop.stripe.card('visa').id
    const upgrade = (products: unknown, more: object = {}) =>
      customer.act('upgrade-to-paid', { payment_method_id, products, ...more })
    const minimum = 'invalid voice call session value, minimum is 5'
    expect(statusAndMessage(await customer.act('steal'))).toEqual([400, 'invalid or missing action'])
    expect(getMessage(await customer.act('update-payment-method'))).toBe('missing payment_method_id')
    expect(getMessage(await upgrade(undefined))).toBe('missing products')
    expect(getMessage(await upgrade([{ ...session, quantity: 4 }]))).toBe(minimum)
    expect(getMessage(await upgrade([device]))).toBe(minimum)
    for (const products of [
      [{ ...session, price_id: device.price_id }],
      [{ ...session, price_id: 'price_none' }],
      [session, session],
      [{ ...session, product_sid: crypto.randomUUID() }],
      [{ ...session, quantity: 1001 }],
      [session, { ...device, quantity: 201 }],
      [{ ...session, quantity: 5.5 }],
      [{ ...session, quantity: -5 }],
    ])
      expect((await upgrade(products)).status).toBe(400)
    expect(customer.paid()).toEqual([])
    expect(await customer.stripeId()).toBeNull()
  })

  test('an account that its operator has deactivated cannot be upgraded', async () => {
    const customer = await shop.customer()
    const { db } = shop.api.test.database
    const { account_sid } = customer
    const off = { is_active: 0, deactivated_reason: 'abuse' } as const
    const desk = shop.api.services.billing
    const actor = toCaller(customer)
    await db.updateTable('accounts').set(off).where('account_sid', '=', account_sid).execute()
    const request = { method: shop.stripe.card('visa').id, products: shop.products(5) }
    await expect(desk?.upgrade(account_sid, actor, request)).rejects.toMatchObject({ code: 'account_deactivated' })
    expect(customer.paid()).toEqual([])
    await db
      .updateTable('accounts')
      .set({ deactivated_reason: 'trial expired' })
      .where('account_sid', '=', account_sid)
      .execute()
    expect((await desk?.upgrade(account_sid, actor, request))?.status).toBe('success')
    const account = await db
      .selectFrom('accounts')
      .select(['is_active', 'plan_type', 'deactivated_reason'])
      .where('account_sid', '=', account_sid)
      .executeTakeFirst()
    expect(account).toEqual({ is_active: 1, plan_type: 'paid', deactivated_reason: null })
  })
})

describe('a change of quantities', () => {
  test('API-125 BILLING-34 a dry run returns the immediate and the monthly cost, and changes nothing', async () => {
    const customer = await paying()
    const answer = await customer.act('update-quantities', { products: shop.products(10, 5), dry_run: true })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({ currency: 'usd', monthly_cost: 11_000 })
    expect(answer.body['prorated_cost']).toBeGreaterThan(5900)
    expect(answer.body['next_invoice_date']).toMatch(/^\w{3} \w{3} \d\d \d{4}$/)
    expect(await customer.plan()).toMatchObject({ sessions: 5, devices: 0 })
    expect(customer.paid()).toEqual([5000])
    const less = await customer.act('update-quantities', { products: shop.products(5), dry_run: true })
    expect(less.body).toMatchObject({ prorated_cost: 0, monthly_cost: 5000 })
  })

  test('API-125 without dry_run, the difference is charged and the capacity is available', async () => {
    const customer = await paying(5, 2)
    const answer = await customer.act('update-quantities', { products: shop.products(9, 0) })
    expect([answer.status, answer.body.status]).toEqual([201, 'success'])
    expect(await customer.plan()).toEqual({ plan_type: 'paid', status: 'active', sessions: 9, devices: 0 })
    expect(customer.paid()).toHaveLength(2)
    expect((await findSubscription(customer)).items.map(({ quantity }) => quantity)).toEqual([9])
  })

  test('a failed payment changes nothing, and another card completes the change', async () => {
    const customer = await paying()
    await badCard(customer)
    const answer = await customer.act('update-quantities', { products: shop.products(7) })
    expect([answer.status, answer.body]).toEqual([201, { status: 'failed', reason: 'payment required' }])
    await shop.deliver()
    expect(await customer.plan()).toMatchObject({ plan_type: 'paid', status: 'active', sessions: 5 })
    const card = { payment_method_id: shop.stripe.card('visa').id }
    expect((await customer.act('update-payment-method', card)).body).toEqual({ status: 'success' })
    expect(await customer.plan()).toMatchObject({ sessions: 7 })
    expect(customer.paid()).toHaveLength(2)
  })

  test('a change that requires authentication becomes effective after it', async () => {
    const customer = await paying()
    await badCard(customer, 'always asks')
    const { body } = await customer.act('update-quantities', { products: shop.products(6) })
    expect(body.status).toBe('action required')
    expect(await customer.plan()).toMatchObject({ sessions: 5 })
    shop.stripe.confirm(body.client_secret ?? '')
    await shop.deliver()
    expect(await customer.plan()).toMatchObject({ sessions: 6 })
  })

  test('without a subscription, the request changes nothing', async () => {
    const customer = await shop.customer()
    expect((await customer.act('update-quantities', { products: shop.products(6) })).status).toBe(404)
    expect((await customer.act('update-quantities', { products: shop.products(6), dry_run: true })).status).toBe(404)
    const card = { payment_method_id: shop.stripe.card('visa').id }
    expect(statusAndMessage(await customer.act('update-payment-method', card))).toEqual([
      400,
      `Account ${customer.account_sid} is not provisioned in Stripe`,
    ])
  })
})

test('API-124 a new card replaces the old one', async () => {
  const customer = await paying()
  const card = { payment_method_id: shop.stripe.card('mastercard').id }
  expect((await customer.act('update-payment-method', card)).body).toEqual({ status: 'success' })
  const { subscription } = getRow(await customer.caller.get('/Users/me'))
  expect(subscription).toMatchObject({ card_type: 'mastercard', last4: '4444' })
  const id = await customer.stripeId()
  const cards = [...shop.stripe.state.methods.values()].filter((method) => method.customer === id)
  expect(cards.map(({ last4 }) => last4)).toEqual(['4444'])
  const bad = { payment_method_id: shop.stripe.card('chargeDeclined').id }
  expect(statusAndMessage(await customer.act('update-payment-method', bad))).toEqual([402, 'Your card was declined.'])
})

test('API-126 after a downgrade, the plan becomes free at the end of the paid period', async () => {
  const customer = await paying(7)
  const answer = await customer.act('downgrade-to-free')
  expect([answer.status, answer.body]).toEqual([200, { status: 'success' }])
  await shop.deliver()
  expect(await customer.plan()).toMatchObject({ plan_type: 'paid', sessions: 7 })
  expect((await customer.caller.get('/Invoices')).status).toBe(404)
  shop.stripe.advance(month)
  await shop.deliver()
  expect(await customer.plan()).toEqual({ plan_type: 'free', status: 'active', sessions: 1, devices: 1 })
  expect(customer.paid()).toEqual([7000])
  expect((await customer.upgrade('visa')).body.status).toBe('success')
})

test('a change of quantities after a downgrade continues the subscription', async () => {
  const customer = await paying()
  await customer.act('downgrade-to-free')
  expect((await customer.act('update-quantities', { products: shop.products(5) })).body.status).toBe('success')
  expect((await findSubscription(customer)).cancel_at_period_end).toBe(false)
})

test('API-051 the next invoice has a total, a currency, and the time of its payment', async () => {
  const customer = await paying(6)
  const invoice = getRow(await customer.caller.get('/Invoices'))
  expect(invoice).toMatchObject({ total: 6000, currency: 'usd' })
  expect(invoice['next_payment_attempt']).toBeGreaterThan(shop.stripe.state.now)
  expect((await (await shop.customer()).caller.get('/Invoices')).status).toBe(404)
})

describe('unpaid invoices', () => {
  const suspended = async (): Promise<Customer> => {
    const customer = await paying()
    await badCard(customer)
    shop.stripe.advance(month)
    await shop.deliver()
    expect(await customer.plan()).toMatchObject({ plan_type: 'paid', status: 'suspended' })
    const me = getRow(await customer.caller.get('/Users/me'))
    expect(me).toMatchObject({
      account: { is_active: 0, deactivated_reason: 'payment failed' },
      subscription: { suspend_reason: 'payment failed' },
    })
    return customer
  }

  test('a failed renewal suspends the plan, and a payment reactivates it', async () => {
    const customer = await suspended()
    expect((await customer.act('update-quantities', { products: shop.products(6) })).status).toBe(422)
    const bad = { payment_method_id: shop.stripe.card('chargeCustomerFail').id }
    const { body } = await customer.act('update-payment-method', bad)
    expect([body.status, body.reason]).toEqual(['failed to pay outstanding invoices', 'Your card was declined.'])
    const card = { payment_method_id: shop.stripe.card('visa').id }
    expect((await customer.act('update-payment-method', card)).body).toEqual({ status: 'success' })
    expect(await customer.plan()).toMatchObject({ plan_type: 'paid', status: 'active', sessions: 5 })
    const { account } = getRow(await customer.caller.get('/Users/me'))
    expect(account).toMatchObject({ is_active: 1, deactivated_reason: null })
    expect(customer.paid()).toEqual([5000, 5000])
  })

  test('a downgrade with unpaid invoices is immediate, and the invoices can no longer be paid', async () => {
    const customer = await suspended()
    expect((await customer.act('downgrade-to-free')).body).toEqual({ status: 'success' })
    expect(await customer.plan()).toMatchObject({ plan_type: 'free', status: 'active', sessions: 1 })
    const id = await customer.stripeId()
    const open = [...shop.stripe.state.invoices.values()].filter((one) => one.customer === id && one.status === 'open')
    expect(open).toEqual([])
  })

  test('the plan becomes free when Stripe gives up', async () => {
    const customer = await suspended()
    shop.stripe.advance(month)
    await shop.deliver()
    expect(await customer.plan()).toMatchObject({ plan_type: 'free', status: 'active' })
    expect(customer.paid()).toEqual([5000])
  })
})

describe('events', () => {
  test('are accepted at both paths, processed once, and in any order', async () => {
    const customer = await shop.customer()
    const { body } = await customer.upgrade('authenticationRequiredOnSetup')
    shop.stripe.confirm(body.client_secret ?? '')
    const events = shop.stripe.takeEvents().toReversed()
    for (const url of ['/stripe/webhook', '/v1/stripe/webhook', '/api/v1/stripe/webhook'])
      for (const { payload, signature } of events) {
        const headers = { 'stripe-signature': signature, 'content-type': 'application/json; charset=utf-8' }
        const { statusCode, body: text } = await shop.api.app.inject({ method: 'POST', url, headers, payload })
        expect([statusCode, text]).toEqual([204, ''])
      }
    await shop.api.services.billing?.pass()
    expect((await customer.plan()).plan_type).toBe('paid')
    const { db } = shop.api.test.database
    const ids = events.map(({ payload }) => String((JSON.parse(payload) as { id: unknown }).id))
    const rows = await db
      .selectFrom('patchbay_billing_events')
      .select('event_id')
      .where('event_id', 'in', ids)
      .execute()
    expect(rows).toHaveLength(ids.length)
  })

  test('are rejected if they are foreign, old, or without content', async () => {
    const send = async (payload: string, signature: string | undefined, type = 'application/json') => {
      const headers = { 'content-type': type, ...(signature === undefined ? {} : { 'stripe-signature': signature }) }
      const answer = await shop.api.app.inject({ method: 'POST', url: '/stripe/webhook', headers, payload })
      return answer.statusCode
    }
    shop.stripe.takeEvents()
    await (await shop.customer()).upgrade('visa')
    const { payload = '', signature = '' } = shop.stripe.takeEvents()[0] ?? {}
    expect(await send(payload, undefined)).toBe(400)
    expect(await send(payload, 'nonsense')).toBe(400)
    expect(await send(payload, signature.replace(/v1=./, 'v1=x'))).toBe(400)
    expect(await send(`${payload} `, signature)).toBe(400)
    expect(await send('', signature)).toBe(400)
    expect(await send('{', signature)).toBe(400)
    expect(await send(payload, signature.replace(/t=\d+/, 't=1000000000'))).toBe(400)
    expect(await send('x'.repeat(600 * 1024), signature)).toBe(413)
    expect(await send(payload, signature, 'text/plain')).toBe(400)
  })
})

describe('concurrent and hostile requests', () => {
  test('300 concurrent upgrades are charged once', async () => {
    const customer = await shop.customer()
    const answers = await Promise.all(Array.from({ length: 300 }, () => customer.upgrade('visa')))
    const statuses = new Set(answers.map(({ status }) => status))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect([...statuses].every((status) => [201, 409, 422, 429].includes(status))).toBe(true)
    expect(customer.paid()).toEqual([5000])
    expect((await customer.plan()).sessions).toBe(5)
  })

  test('a customer id in a request is ignored', async () => {
    const [victim, thief] = [await paying(), await shop.customer()]
    const stripe_customer_id = await victim.stripeId()
    await thief.act('update-quantities', { products: shop.products(50), stripe_customer_id })
    await thief.act('downgrade-to-free', { stripe_customer_id, account_sid: victim.account_sid })
    expect(await victim.plan()).toMatchObject({ plan_type: 'paid', sessions: 5 })
    expect((await findSubscription(victim)).cancel_at_period_end).toBe(false)
    const id = await victim.stripeId()
    const card = [...shop.stripe.state.methods.values()].find((method) => method.customer === id)
    const stolen = await thief.act('upgrade-to-paid', { payment_method_id: card?.id, products: shop.products(5) })
    expect(stolen.status).toBe(422)
    expect(victim.paid()).toEqual([5000])
  })
})

describe('if Stripe is unavailable', () => {
  test('before a change: the error says so, and the change is completed later, once', async () => {
    const customer = await shop.customer()
    shop.stripe.trouble = ({ path }) => (path === '/v1/subscriptions' ? { when: 'after', how: 'cut' } : undefined)
    const answer = await customer.upgrade('visa')
    expect([answer.status, getMessage(answer)]).toEqual([
      503,
      'Stripe did not respond. Patchbay is checking whether the change was made. Nothing is charged twice.',
    ])
    shop.stripe.trouble = undefined
    await shop.api.services.billing?.pass()
    expect(await customer.plan()).toMatchObject({ plan_type: 'paid', sessions: 5 })
    expect(customer.paid()).toEqual([5000])
    expect((await customer.upgrade('visa')).status).toBe(422)
  })

  test('during a change that is still being executed: the change is completed later, once', async () => {
    const customer = await shop.customer()
    const isPurchase = ({ method, path }: { method: string; path: string }) =>
      method === 'POST' && path === '/v1/subscriptions'
    shop.stripe.trouble = (request) => (isPurchase(request) ? { when: 'after', how: 'cut' } : undefined)
    expect((await customer.upgrade('visa')).status).toBe(503)
    shop.stripe.trouble = ({ method }) => (method === 'POST' ? { when: 'before', how: '409' } : undefined)
    expect((await customer.upgrade('visa')).status).toBe(503)
    expect(await customer.plan()).toMatchObject({ plan_type: 'trial' })
    shop.stripe.trouble = undefined
    await shop.api.services.billing?.pass()
    expect(await customer.plan()).toMatchObject({ plan_type: 'paid', sessions: 5 })
    expect(customer.paid()).toEqual([5000])
  })

  test('because of its rate limit: nothing is charged, and the change can be repeated', async () => {
    const customer = await shop.customer()
    shop.stripe.trouble = ({ method, path }) =>
      method === 'POST' && path === '/v1/subscriptions' ? { when: 'before', how: '429' } : undefined
    const answer = await customer.upgrade('visa')
    expect([answer.status, getMessage(answer)]).toEqual([502, 'Stripe is temporarily unavailable. Try again.'])
    expect(customer.paid()).toEqual([])
    shop.stripe.trouble = undefined
    expect((await customer.upgrade('visa')).body.status).toBe('success')
    expect(customer.paid()).toEqual([5000])
  })

  test('a Stripe error does not cause a 500', async () => {
    const customer = await shop.customer()
    shop.stripe.trouble = () => ({ when: 'before', how: '500' })
    expect((await customer.upgrade('visa')).status).toBe(503)
    expect((await customer.caller.get('/Prices')).status).toBe(503)
    expect((await customer.caller.get('/StripeCustomerId')).status).toBe(503)
  })
})

test('an expired trial becomes the free plan, which remains usable', async () => {
  const customer = await shop.customer()
  const { database } = shop.api.test
  const until = { trial_end_date: '2026-01-01 00:00:00' }
  await database.db.updateTable('accounts').set(until).where('account_sid', '=', customer.account_sid).execute()
  await expireTrials(database, shop.api.services.write, new Date())
  expect(await customer.plan()).toEqual({ plan_type: 'free', status: 'active', sessions: 1, devices: 1 })
})

test('an unknown Stripe customer does not end the plan, but a subscription canceled in Stripe does', async () => {
  const customer = await paying()
  const { db } = shop.api.test.database
  const change = (stripe_customer_id: string | null) =>
    db.updateTable('accounts').set({ stripe_customer_id }).where('account_sid', '=', customer.account_sid).execute()
  const id = await customer.stripeId()
  await change('cus_of_another_key')
  expect((await customer.act('downgrade-to-free')).status).toBe(422)
  expect(await customer.plan()).toMatchObject({ plan_type: 'paid', status: 'active' })
  await change(id)
  const { settings } = shop.stripe
  await fetch(`${settings.STRIPE_BASE_URL}/subscriptions/${(await findSubscription(customer)).id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${settings.STRIPE_API_KEY}` },
  })
  await shop.deliver()
  expect(await customer.plan()).toMatchObject({ plan_type: 'free', sessions: 1, devices: 1 })
})

test('changes made in Stripe are adopted', async () => {
  const customer = await paying()
  const subscription = await findSubscription(customer)
  for (const item of subscription.items) item.quantity = 20
  await customer.act('update-payment-method', { payment_method_id: shop.stripe.card('visa').id })
  expect(await customer.plan()).toMatchObject({ plan_type: 'paid', sessions: 20 })
})

describe('a deleted account', () => {
  const path = ({ account_sid }: Customer) => `/Accounts/${account_sid}`

  test('is no longer charged', async () => {
    const customer = await paying()
    const id = (await customer.stripeId()) ?? ''
    expect((await shop.api.admin.delete(path(customer))).status).toBe(204)
    expect(shop.stripe.state.customers.get(id)?.deleted).toBe(true)
    expect([...shop.stripe.state.subscriptions.values()].find((one) => one.customer === id)?.status).toBe('canceled')
    expect(await shop.deliver()).not.toContain(500)
    expect(customer.paid()).toEqual([5000])
  })

  test('remains with its subscription while Stripe does not respond', async () => {
    const customer = await paying()
    shop.stripe.trouble = () => ({ when: 'before', how: '500' })
    expect((await shop.api.admin.delete(path(customer))).status).toBe(503)
    shop.stripe.trouble = undefined
    expect(await customer.plan()).toMatchObject({ plan_type: 'paid', status: 'active' })
    expect((await findSubscription(customer)).status).toBe('active')
  })

  test('cannot start a new subscription between the end of the old one and its deletion', async () => {
    const customer = await paying()
    await shop.api.services.billing?.close(customer.account_sid, toCaller(customer))
    expect((await customer.upgrade('visa')).status).toBe(409)
  })
})

test('an account is deleted only after its subscription has ended', async () => {
  const customer = await paying()
  const id = (await customer.stripeId()) ?? ''
  const { account_sid } = customer
  shop.stripe.trouble = () => ({ when: 'before', how: '500' })
  expect((await shop.api.admin.delete(`/Accounts/${account_sid}`)).status).toBe(503)
  shop.stripe.trouble = undefined
  expect((await shop.api.admin.get(`/Accounts/${account_sid}`)).status).toBe(200)
  expect((await shop.api.admin.delete(`/Accounts/${account_sid}`)).status).toBe(204)
  expect(shop.stripe.state.customers.get(id)?.deleted).toBe(true)
  expect([...shop.stripe.state.subscriptions.values()].find((one) => one.customer === id)?.status).toBe('canceled')
  const { db } = shop.api.test.database
  const remaining = db.selectFrom('patchbay_billing').select('account_sid').where('account_sid', '=', account_sid)
  expect(await remaining.execute()).toEqual([])
})

test('the audit trail contains who changed the plan', async () => {
  const customer = await paying(6)
  const { data } = getRow(
    await shop.api.admin.get(`/patchbay/audit-trail?page=1&count=25&sid=${customer.account_sid}`),
  ) as { data: { kind: string; actor_name: string | null; changes: { field: string; after: unknown }[] }[] }
  const plans = data.filter(({ kind }) => kind === 'plan')
  const paidFor = plans.find(({ changes }) =>
    changes.some(({ field, after }) => field === 'plan_type' && after === 'paid'),
  )
  expect(paidFor?.actor_name).toBe(customer.name)
})
