import type { UpcomingInvoice } from '@patchbay/contract/billing'
import type Stripe from 'stripe'
import type { StripeAccess } from '../../config/configuration.ts'
import { createFetch } from '../outbound-http/fetch.ts'
import { mebibyte, operatorTransport } from '../outbound-http/transport.ts'
import {
  type BilledSubscription,
  type Billing,
  type BillingEvent,
  BillingError,
  type FaultKind,
  type ItemChange,
  type LatestInvoice,
} from './billing.ts'
import { toCard, parseCategory, getId, toInvoice, isProration, toOffer, toSubscription } from './stripe-objects.ts'

/** Stripe by its own SDK, which is loaded when it is first needed. */

/** Of one request; a connection that is closed the SDK tries once more. */
const requestMilliseconds = 8000
const milliseconds = 1000
const max = 100
/** Stripe and its library say it so. */
const conflict = 409

/** Only an answer says that nothing was done; of a conflict the first request is still at work. */
const kindOf = (status: number | undefined): FaultKind => {
  if (status === undefined || status >= 500 || status === conflict) return 'silent'
  if (status === 402) return 'card'
  return status === 400 || status === 404 ? 'refused' : 'failed'
}

interface StripeTrouble extends Error {
  statusCode?: number
  code?: string
}

const isTrouble = (error: unknown): error is StripeTrouble => error instanceof Error && 'rawType' in error

const faultOf = (error: unknown): unknown =>
  isTrouble(error) ? new BillingError(kindOf(error.statusCode), error.message, error) : error

const saysCode = (error: unknown, code: string): boolean => isTrouble(error) && error.code === code

const isMissing = (error: unknown): boolean => saysCode(error, 'resource_missing')

/** Such that are there no more are as good as gone. */
const unlessMissing = async (work: Promise<unknown>): Promise<void> => {
  try {
    await work
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

export interface StripeOptions extends StripeAccess {
  /** tests wait for less */
  timeoutMilliseconds?: number
}

const stripeFetch = createFetch(operatorTransport, { maxResponseBytes: 8 * mebibyte })

const connect = async ({ key, origin, timeoutMilliseconds }: StripeOptions): Promise<Stripe> => {
  const { default: Library } = await import('stripe')
  const { protocol, hostname, port } = new URL(origin)
  return new Library(key, {
    host: hostname,
    port: port === '' ? (protocol === 'http:' ? 80 : 443) : port,
    protocol: protocol === 'http:' ? 'http' : 'https',
    timeout: timeoutMilliseconds ?? requestMilliseconds,
    maxNetworkRetries: 0,
    telemetry: false,
    httpClient: Library.createFetchHttpClient((url, init) => stripeFetch(new Request(url).url, init)),
  })
}

const wireItem = ({ id, price_id, product_sid, quantity }: ItemChange): Stripe.SubscriptionUpdateParams.Item => {
  if (id === undefined) return { price: price_id, quantity, metadata: { product_sid } }
  return quantity === 0 ? { id, deleted: true } : { id, price: price_id, quantity }
}

/** Of what is not there nothing is taken. */
const wireItems = (items: readonly ItemChange[]) =>
  items.filter(({ id, quantity }) => id !== undefined || quantity > 0).map(wireItem)

const sumOf = (lines: readonly Stripe.InvoiceLineItem[]): number => lines.reduce((sum, { amount }) => sum + amount, 0)

const isDeleted = (customer: Stripe.Customer | Stripe.DeletedCustomer): customer is Stripe.DeletedCustomer =>
  customer.deleted === true

export const createStripeBilling = (options: StripeOptions): Billing => {
  let connected: Promise<Stripe> | undefined
  /** Whatever goes wrong becomes a fault. */
  const ask = async <T>(work: (stripe: Stripe) => Promise<T>): Promise<T> => {
    connected ??= connect(options)
    try {
      return await work(await connected)
    } catch (error) {
      throw faultOf(error)
    }
  }

  const latestInvoice = async (
    stripe: Stripe,
    invoice: string | Stripe.Invoice | null,
  ): Promise<LatestInvoice | null> => {
    if (invoice === null || typeof invoice === 'string') return null
    const payment = invoice.payments?.data.find(({ is_default }) => is_default)?.payment.payment_intent
    const isOpen = invoice.status === 'open' && payment !== undefined
    return toInvoice(invoice, isOpen ? await stripe.paymentIntents.retrieve(getId(payment)) : undefined)
  }

  const withCategories = async (stripe: Stripe, subscription: Stripe.Subscription, ours: BilledSubscription) => {
    for (const item of ours.items) {
      if (item.product_sid !== null) continue
      const price = subscription.items.data.find(({ id }) => id === item.id)?.price
      if (price) item.category = parseCategory((await stripe.products.retrieve(getId(price.product))).metadata)
    }
    return ours
  }

  const subscriptionsOf = async (stripe: Stripe, customer: string): Promise<BilledSubscription[]> => {
    const expand = ['data.latest_invoice.payments', 'data.latest_invoice.confirmation_secret']
    const found: BilledSubscription[] = []
    for await (const one of stripe.subscriptions.list({ customer, status: 'all', limit: max, expand })) {
      const ours = toSubscription(one, await latestInvoice(stripe, one.latest_invoice))
      found.push(ours.status === 'over' ? ours : await withCategories(stripe, one, ours))
    }
    return found
  }

  const pricesOf = async (stripe: Stripe, product: string): Promise<Stripe.Price[]> => {
    const expand = ['data.tiers']
    const { data } = await stripe.prices.list({ product, active: true, type: 'recurring', limit: max, expand })
    return data
  }

  const forSale = async (stripe: Stripe, products?: readonly string[]): Promise<Stripe.Product[]> => {
    if (products) return Promise.all(products.map((id) => stripe.products.retrieve(id)))
    const { data } = await stripe.products.list({ active: true, limit: max })
    return data.filter(({ metadata }) => metadata['availability'] === 'general')
  }

  return {
    offers: (products) =>
      ask(async (stripe) => {
        const sold = (await forSale(stripe, products)).filter(({ metadata }) => parseCategory(metadata) !== null)
        const offers = sold.map(async (product) => toOffer(product, await pricesOf(stripe, product.id)))
        return (await Promise.all(offers)).flat()
      }),
    createCustomer: ({ account_sid, email, name }, idempotencyKey) =>
      ask(async (stripe) => {
        const who = { ...(email ? { email } : {}), ...(name ? { name } : {}), metadata: { account_sid } }
        const { id } = await stripe.customers.create(who, { idempotencyKey })
        return id
      }),
    deleteCustomer: (customer) => ask((stripe) => unlessMissing(stripe.customers.del(customer))),
    customer: (id) =>
      ask(async (stripe) => {
        const customer = await stripe.customers.retrieve(id, { expand: ['invoice_settings.default_payment_method'] })
        if (isDeleted(customer)) return { isDeleted: true, card: null, subscriptions: [] }
        const method = customer.invoice_settings.default_payment_method
        const card = method === null || typeof method === 'string' ? null : toCard(method)
        return { isDeleted: false, card, subscriptions: await subscriptionsOf(stripe, id) }
      }),
    useCard: (customer, method, key) =>
      ask(async (stripe) => {
        const attached = await stripe.paymentMethods.attach(method, { customer }, { idempotencyKey: `${key}:attach` })
        const invoice_settings = { default_payment_method: attached.id }
        await stripe.customers.update(customer, { invoice_settings }, { idempotencyKey: `${key}:default` })
        return toCard(attached)
      }),
    forgetCard: (card, idempotencyKey) =>
      ask((stripe) => unlessMissing(stripe.paymentMethods.detach(card, {}, { idempotencyKey }))),
    subscribe: ({ customer, account_sid, account_subscription_sid, items }, idempotencyKey) =>
      ask(async (stripe) => {
        const wanted = items.filter(({ quantity }) => quantity > 0)
        await stripe.subscriptions.create(
          {
            customer,
            metadata: { account_sid, account_subscription_sid },
            payment_behavior: 'allow_incomplete',
            items: wanted.map(({ price_id: price, quantity, product_sid }) => ({
              price,
              quantity,
              metadata: { product_sid },
            })),
          },
          { idempotencyKey },
        )
      }),
    changeItems: (subscription, items, idempotencyKey) =>
      ask(async (stripe) => {
        const change = {
          items: wireItems(items),
          proration_behavior: 'always_invoice',
          payment_behavior: 'pending_if_incomplete',
        }
        await stripe.subscriptions.update(subscription, change, { idempotencyKey })
      }),
    endWithPeriod: (subscription, cancel_at_period_end, idempotencyKey) =>
      ask(async (stripe) => {
        await stripe.subscriptions.update(subscription, { cancel_at_period_end }, { idempotencyKey })
      }),
    cancel: (subscription) => ask((stripe) => unlessMissing(stripe.subscriptions.cancel(subscription))),
    pay: (invoice, payment_method, idempotencyKey) =>
      ask(async (stripe) => {
        await stripe.invoices.pay(invoice, { payment_method }, { idempotencyKey })
      }),
    dropInvoice: (invoice, idempotencyKey) =>
      ask(async (stripe) => {
        await stripe.invoices.voidInvoice(invoice, {}, { idempotencyKey })
      }),
    upcoming: (customer) =>
      ask(async (stripe): Promise<UpcomingInvoice | undefined> => {
        try {
          const { lastResponse: _response, ...invoice } = await stripe.invoices.createPreview({ customer })
          return invoice
        } catch (error) {
          if (saysCode(error, 'invoice_upcoming_none')) return undefined
          throw error
        }
      }),
    forecast: (subscription, items) =>
      ask(async (stripe) => {
        const subscription_details = { items: wireItems(items), cancel_at_period_end: false }
        const { lines, currency, next_payment_attempt, created } = await stripe.invoices.createPreview({
          subscription,
          subscription_details,
        })
        const [now, then] = [lines.data.filter(isProration), lines.data.filter((line) => !isProration(line))]
        const nextAt = (next_payment_attempt ?? created) * milliseconds
        return { currency, prorated: sumOf(now), monthly: sumOf(then), nextAt }
      }),
    rawSubscription: (subscription) =>
      ask(async (stripe) => {
        const found = await stripe.subscriptions.retrieve(subscription, { expand: ['latest_invoice'] })
        const { lastResponse: _response, ...raw } = found
        return raw
      }),
    readEvent: (payload, signature) =>
      ask(async (stripe): Promise<BillingEvent | undefined> => {
        try {
          const { id, data } = await stripe.webhooks.constructEventAsync(payload, signature, options.webhookSecret)
          const { object, id: own, customer } = data.object as { object?: string; id?: string; customer?: unknown }
          const named = object === 'customer' ? own : customer
          return { id, customer: typeof named === 'string' ? named : null }
        } catch {
          return undefined
        }
      }),
  }
}
