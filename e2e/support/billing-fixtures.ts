import { type Stripe, startStripe } from '@patchbay/testkit/fakes/stripe/stripe'
import { type StripeJs, startStripeJs } from '@patchbay/testkit/fakes/stripe/stripe-js'
import type { Page } from '@playwright/test'
import { aVisitor, expect, test as hosted, type Visitor } from './hosted-fixtures.ts'
import type { Api } from './test.ts'

/** A hosted installation with billing: a fake Stripe API and a fake of Stripe's browser script. */

export interface Till {
  stripe: Stripe
  script: StripeJs
}

interface Customers {
  /** A visitor on the free plan, during the trial. */
  customer: Visitor
  /** Delivers Stripe's pending events to the server. */
  deliverStripeEvents: () => Promise<void>
}

export const test = hosted.extend<Customers, { till: Till }>({
  till: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixtures from the pattern
    async ({}, use) => {
      const stripe = await startStripe()
      stripe.sells()
      const script = await startStripeJs(stripe)
      await use({ stripe, script })
      await script.stop()
      stripe.close()
    },
    { scope: 'worker' },
  ],
  settings: [
    async ({ mails, till: { stripe, script } }, use) =>
      use({
        JAMBONES_HOSTING: '1',
        SMTP_URL: mails.url,
        MAIL_FROM: 'Patchbay <no-reply@example.org>',
        ...stripe.settings,
        STRIPE_JS_URL: script.url,
      }),
    { scope: 'worker' },
  ],
  customer: async ({ api, mails }, use) => use(await aVisitor(api, mails)),
  deliverStripeEvents: async ({ api, till: { stripe } }, use) =>
    use(async () => {
      for (const { payload, signature } of stripe.takeEvents()) {
        const heard = await fetch(`${api.url}/stripe/webhook`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'stripe-signature': signature },
          body: payload,
        })
        if (heard.status !== 204) throw new Error(`an event was answered ${heard.status}`)
      }
    }),
})

export const billingScreens = ({ account_sid }: Visitor) => {
  const account = `/internal/accounts/${account_sid}`
  return {
    account: `${account}/edit`,
    upgrade: `${account}/subscription`,
    modify: `${account}/modify-subscription`,
    payment: `${account}/manage-payment`,
  }
}

const createOrderLines = async (api: Api, token: string) => {
  const { body } = await api.send('GET', '/Prices', undefined, token)
  const of = (category: string, quantity: number) => {
    const { product_sid, prices } = body.find((one: { category: string }) => one.category === category)
    return { product_sid, price_id: prices[0].stripe_price_id, quantity }
  }
  return (calls: number, devices: number) => [
    of('voice_call_session', calls),
    ...(devices > 0 ? [of('device', devices)] : []),
  ]
}

/** Buys a subscription with a valid card. */
export const buys = async (api: Api, { stripe }: Till, { token }: Visitor, calls: number, devices = 0) => {
  const products = (await createOrderLines(api, token))(calls, devices)
  const order = { action: 'upgrade-to-paid', payment_method_id: stripe.card('visa').id, products }
  const answer = await api.send('POST', '/Subscriptions', order, token)
  expect(answer).toMatchObject({ status: 201, body: { status: 'success' } })
}

/** Returns the quantities of the account's subscription from the server. */
export const boughtQuantities = async (api: Api, { token }: Visitor) => {
  const { body } = await api.send('GET', '/Users/me', undefined, token)
  const bought: { quantity: number }[] = body.subscription?.products ?? []
  const quantities = bought.map(({ quantity }) => quantity).filter((quantity) => quantity > 0)
  return { plan: body.account.plan_type, status: body.subscription?.status, quantities }
}

/** Types a card number into Stripe's frame. */
export const typeCard = async (page: Page, number: string): Promise<void> => {
  const frame = page.frameLocator('iframe[title="Secure payment input frame"]')
  await frame.getByLabel('Card number').fill(number)
  await frame.getByLabel('Expiration date').fill('12 / 34')
  await frame.getByLabel('Security code').fill('123')
}

export { expect } from './hosted-fixtures.ts'
