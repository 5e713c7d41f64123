import type { BillingOutcome, BoughtProduct, PricedProduct } from '@patchbay/contract/billing'
import { assignStarterPlan } from '@patchbay/server/billing/subscription-rows'
import type { Caller } from '@patchbay/server/lib/caller'
import { type Stripe, startStripe } from '@patchbay/testkit/fakes/stripe/stripe'
import { type Answer, createTestApi, type TestApi, type TestUser } from '@patchbay/testkit/test-api'
import { expect } from 'vitest'

/** A test installation with billing and its own fake Stripe server. */

export interface Shop {
  api: TestApi
  stripe: Stripe
  /** Products that can be bought, as returned by the API. */
  prices: PricedProduct[]
  /** Creates an account on trial with its owner. */
  customer(): Promise<Customer>
  /** Returns products for a request: sessions, and optionally devices. */
  products(sessions: number, devices?: number): BoughtProduct[]
  /** Returns five sessions and a device. */
  both(): [BoughtProduct, BoughtProduct]
  /** Delivers all pending Stripe events to the API. Returns the response statuses. */
  deliver(): Promise<number[]>
  close(): Promise<void>
}

export interface Customer extends TestUser {
  account_sid: string
  act(action: string, more?: object): Promise<Answer<BillingOutcome & Record<string, unknown>>>
  upgrade(card: string, sessions?: number, devices?: number): Promise<Answer<BillingOutcome & Record<string, unknown>>>
  /** Plan, status, and capacity of the account. */
  plan(): Promise<Plan>
  /** Charged amounts in cents. */
  paid(): number[]
  stripeId(): Promise<string | null>
}

export interface Plan {
  plan_type: string
  status: string | undefined
  sessions: number
  devices: number
}

export const deliverTo = async ({ app }: TestApi, stripe: Stripe): Promise<number[]> => {
  const statuses: number[] = []
  for (const { payload, signature } of stripe.takeEvents()) {
    const headers = { 'stripe-signature': signature, 'content-type': 'application/json' }
    const { statusCode } = await app.inject({ method: 'POST', url: '/stripe/webhook', headers, payload })
    statuses.push(statusCode)
  }
  return statuses
}

interface MeAnswer {
  account: { plan_type: string }
  subscription: { status: string; products: { name: string; quantity: number }[] } | null
}

/** Returns accounts with Stripe events that have not been processed. */
const findUnprocessed = async ({ test }: TestApi): Promise<string[]> => {
  const rows = await test.database.db
    .selectFrom('patchbay_billing')
    .select('account_sid')
    .where((where) => where.or([where('asked', '>', where.ref('looked')), where('claim', 'is not', null)]))
    .where('failures', '=', 0)
    .execute()
  return rows.map(({ account_sid }) => account_sid)
}

export const openShop = async (): Promise<Shop> => {
  const stripe = await startStripe()
  stripe.sells()
  const api = await createTestApi(stripe.settings)
  const { services } = api
  const provider = await api.provider()
  // The app itself validates responses against the contract.
  const prices = (await (await api.user()).caller.get('/Prices')).body as PricedProduct[]
  const bought = (category: string, quantity: number): BoughtProduct[] => {
    const product = prices.find((one) => one.category === category)
    const price_id = product?.prices[0]?.stripe_price_id
    return product && price_id ? [{ price_id, product_sid: product.product_sid, quantity }] : []
  }
  const shop: Shop = {
    api,
    stripe,
    prices,
    products: (sessions, devices) => [
      ...bought('voice_call_session', sessions),
      ...(devices === undefined ? [] : bought('device', devices)),
    ],
    both() {
      const [session, device] = shop.products(5, 1)
      if (session === undefined || device === undefined) throw new Error('nothing is sold')
      return [session, device]
    },
    async customer() {
      const account_sid = await api.account(provider)
      await services.write('patchbay', (tx) => assignStarterPlan(tx, account_sid, 'trial'))
      const user = await api.user({ account_sid })
      const act: Customer['act'] = async (action, more = {}) =>
        (await user.caller.post('/Subscriptions', { action, ...more })) as Answer<
          BillingOutcome & Record<string, unknown>
        >
      const stripeId = async (): Promise<string | null> => {
        const { db } = api.test.database
        const row = await db
          .selectFrom('accounts')
          .select('stripe_customer_id')
          .where('account_sid', '=', account_sid)
          .executeTakeFirstOrThrow()
        return row.stripe_customer_id
      }
      return {
        ...user,
        account_sid,
        act,
        stripeId,
        upgrade: (card, sessions = 5, devices) =>
          act('upgrade-to-paid', {
            payment_method_id: stripe.card(card).id,
            products: shop.products(sessions, devices),
          }),
        async plan() {
          const { account, subscription } = (await user.caller.get('/Users/me')).body as MeAnswer
          const quantity = (name: string) => subscription?.products.find((one) => one.name === name)?.quantity ?? 0
          const [sessions, devices] = [quantity('concurrent call session'), quantity('registered device')]
          return { plan_type: account.plan_type, status: subscription?.status, sessions, devices }
        },
        paid: () =>
          stripe.state.charges
            .filter(({ customer }) => stripe.state.customers.get(customer)?.metadata['account_sid'] === account_sid)
            .map(({ amount }) => amount),
      }
    },
    async deliver() {
      const statuses = await deliverTo(api, stripe)
      // The app also processes events by itself, and has the lease in the meantime.
      await expect
        .poll(async () => {
          await services.billing?.pass()
          return findUnprocessed(api)
        })
        .toEqual([])
      return statuses
    },
    async close() {
      await api.close()
      stripe.close()
    },
  }
  return shop
}

/** Returns the owner as the caller of a request. */
export const toCaller = (customer: Customer): Caller => ({
  token: 'user' as const,
  scope: 'account' as const,
  sid: customer.sid,
  user_sid: customer.sid,
  name: customer.name,
  account_sid: customer.account_sid,
  service_provider_sid: null,
  is_view_only: false,
  must_change_password: false,
  address: '127.0.0.1',
  request_id: 'none',
})
