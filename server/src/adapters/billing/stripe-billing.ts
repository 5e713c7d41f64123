import type { UpcomingInvoice } from '@patchbay/contract/billing'
import type Stripe from 'stripe'
import type { StripeAccess } from '../../config/settings/billing-settings.ts'
import { createFetch } from '../outbound-http/fetch.ts'
import { mebibyte, operatorTransport } from '../outbound-http/transport.ts'
import {
  type BilledSubscription,
  type Billing,
  BillingError,
  type BillingErrorKind,
  type BillingEvent,
  type ItemChange,
  type LatestInvoice,
} from './billing.ts'
import { getId, isProration, parseCategory, toCard, toInvoice, toOffer, toSubscription } from './stripe-objects.ts'

/** Stripe through its own SDK, which is loaded on first use. */

/** Time limit of a request. The SDK retries once if the connection was closed. */
const requestTimeoutMs = 8000
const milliseconds = 1000
const pageSize = 100
/** HTTP status that Stripe and its SDK use for a conflict. */
const conflict = 409

/** Only a response proves that nothing was done. A conflict means that the first request is still in progress. */
const toFaultKind = (status: number | undefined): BillingErrorKind => {
  if (status === undefined || status >= 500 || status === conflict) return 'silent'
  if (status === 402) return 'card'
  return status === 400 || status === 404 ? 'refused' : 'failed'
}

interface StripeError extends Error {
  statusCode?: number
  code?: string
}

const isStripeError = (error: unknown): error is StripeError => error instanceof Error && 'rawType' in error

const toBillingError = (error: unknown): unknown =>
  isStripeError(error) ? new BillingError(toFaultKind(error.statusCode), error.message, error) : error

const hasErrorCode = (error: unknown, code: string): boolean => isStripeError(error) && error.code === code

const isMissing = (error: unknown): boolean => hasErrorCode(error, 'resource_missing')

/** Ignores that the object no longer exists. */
const unlessMissing = async (work: Promise<unknown>): Promise<void> => {
  try {
    await work
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

export interface StripeOptions extends StripeAccess {
  /** Default: 8000. Tests use less. */
  timeoutMs?: number
}

const stripeFetch = createFetch(operatorTransport, { maxResponseBytes: 8 * mebibyte })

const connect = async ({ key, origin, timeoutMs }: StripeOptions): Promise<Stripe> => {
  const { default: Library } = await import('stripe')
  const { protocol, hostname, port } = new URL(origin)
  return new Library(key, {
    host: hostname,
    port: port === '' ? (protocol === 'http:' ? 80 : 443) : port,
    protocol: protocol === 'http:' ? 'http' : 'https',
    timeout: timeoutMs ?? requestTimeoutMs,
    maxNetworkRetries: 0,
    telemetry: false,
    httpClient: Library.createFetchHttpClient((url, init) => stripeFetch(new Request(url).url, init)),
  })
}

const toStripeItem = ({ id, price_id, product_sid, quantity }: ItemChange): Stripe.SubscriptionUpdateParams.Item => {
  if (id === undefined) return { price: price_id, quantity, metadata: { product_sid } }
  return quantity === 0 ? { id, deleted: true } : { id, price: price_id, quantity }
}

/** Skips items that do not exist and have quantity 0, because there is nothing to remove. */
const toStripeItems = (items: readonly ItemChange[]) =>
  items.filter(({ id, quantity }) => id !== undefined || quantity > 0).map(toStripeItem)

const sumAmounts = (lines: readonly Stripe.InvoiceLineItem[]): number =>
  lines.reduce((sum, { amount }) => sum + amount, 0)

const isDeleted = (customer: Stripe.Customer | Stripe.DeletedCustomer): customer is Stripe.DeletedCustomer =>
  customer.deleted === true

/** Creates the payment provider Stripe. The library is loaded on first use. */
export const createStripeBilling = (options: StripeOptions): Billing => {
  let connected: Promise<Stripe> | undefined
  /** Converts Stripe's errors to BillingError. */
  const callStripe = async <T>(work: (stripe: Stripe) => Promise<T>): Promise<T> => {
    connected ??= connect(options)
    try {
      return await work(await connected)
    } catch (error) {
      throw toBillingError(error)
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

  const withCategories = async (stripe: Stripe, subscription: Stripe.Subscription, result: BilledSubscription) => {
    for (const item of result.items) {
      if (item.product_sid !== null) continue
      const price = subscription.items.data.find(({ id }) => id === item.id)?.price
      if (price) item.category = parseCategory((await stripe.products.retrieve(getId(price.product))).metadata)
    }
    return result
  }

  const listSubscriptions = async (stripe: Stripe, customer: string): Promise<BilledSubscription[]> => {
    const expand = ['data.latest_invoice.payments', 'data.latest_invoice.confirmation_secret']
    const subscriptions: BilledSubscription[] = []
    for await (const one of stripe.subscriptions.list({ customer, status: 'all', limit: pageSize, expand })) {
      const result = toSubscription(one, await latestInvoice(stripe, one.latest_invoice))
      subscriptions.push(result.status === 'over' ? result : await withCategories(stripe, one, result))
    }
    return subscriptions
  }

  const listPrices = async (stripe: Stripe, product: string): Promise<Stripe.Price[]> => {
    const expand = ['data.tiers']
    const { data } = await stripe.prices.list({ product, active: true, type: 'recurring', limit: pageSize, expand })
    return data
  }

  const listProducts = async (stripe: Stripe, products?: readonly string[]): Promise<Stripe.Product[]> => {
    if (products) return Promise.all(products.map((id) => stripe.products.retrieve(id)))
    const { data } = await stripe.products.list({ active: true, limit: pageSize })
    return data.filter(({ metadata }) => metadata['availability'] === 'general')
  }

  return {
    check: () =>
      callStripe(async (stripe) => {
        await stripe.products.list({ limit: 1 })
      }),
    offers: (products) =>
      callStripe(async (stripe) => {
        const categorized = (await listProducts(stripe, products)).filter(
          ({ metadata }) => parseCategory(metadata) !== null,
        )
        const offers = categorized.map(async (product) => toOffer(product, await listPrices(stripe, product.id)))
        return (await Promise.all(offers)).flat()
      }),
    createCustomer: ({ account_sid, email, name }, idempotencyKey) =>
      callStripe(async (stripe) => {
        const who = { ...(email ? { email } : {}), ...(name ? { name } : {}), metadata: { account_sid } }
        const { id } = await stripe.customers.create(who, { idempotencyKey })
        return id
      }),
    deleteCustomer: (customer) => callStripe((stripe) => unlessMissing(stripe.customers.del(customer))),
    customer: (id) =>
      callStripe(async (stripe) => {
        const customer = await stripe.customers.retrieve(id, { expand: ['invoice_settings.default_payment_method'] })
        if (isDeleted(customer)) return { isDeleted: true, card: null, subscriptions: [] }
        const method = customer.invoice_settings.default_payment_method
        const card = method === null || typeof method === 'string' ? null : toCard(method)
        return { isDeleted: false, card, subscriptions: await listSubscriptions(stripe, id) }
      }),
    useCard: (customer, method, key) =>
      callStripe(async (stripe) => {
        const attached = await stripe.paymentMethods.attach(method, { customer }, { idempotencyKey: `${key}:attach` })
        const invoice_settings = { default_payment_method: attached.id }
        await stripe.customers.update(customer, { invoice_settings }, { idempotencyKey: `${key}:default` })
        return toCard(attached)
      }),
    forgetCard: (card, idempotencyKey) =>
      callStripe((stripe) => unlessMissing(stripe.paymentMethods.detach(card, {}, { idempotencyKey }))),
    subscribe: ({ customer, account_sid, account_subscription_sid, items }, idempotencyKey) =>
      callStripe(async (stripe) => {
        const requestedItems = items.filter(({ quantity }) => quantity > 0)
        await stripe.subscriptions.create(
          {
            customer,
            metadata: { account_sid, account_subscription_sid },
            payment_behavior: 'allow_incomplete',
            items: requestedItems.map(({ price_id: price, quantity, product_sid }) => ({
              price,
              quantity,
              metadata: { product_sid },
            })),
          },
          { idempotencyKey },
        )
      }),
    changeItems: (subscription, items, idempotencyKey) =>
      callStripe(async (stripe) => {
        const change = {
          items: toStripeItems(items),
          proration_behavior: 'always_invoice',
          payment_behavior: 'pending_if_incomplete',
        }
        await stripe.subscriptions.update(subscription, change, { idempotencyKey })
      }),
    endWithPeriod: (subscription, cancel_at_period_end, idempotencyKey) =>
      callStripe(async (stripe) => {
        await stripe.subscriptions.update(subscription, { cancel_at_period_end }, { idempotencyKey })
      }),
    cancel: (subscription) => callStripe((stripe) => unlessMissing(stripe.subscriptions.cancel(subscription))),
    pay: (invoice, payment_method, idempotencyKey) =>
      callStripe(async (stripe) => {
        await stripe.invoices.pay(invoice, { payment_method }, { idempotencyKey })
      }),
    dropInvoice: (invoice, idempotencyKey) =>
      callStripe(async (stripe) => {
        await stripe.invoices.voidInvoice(invoice, {}, { idempotencyKey })
      }),
    upcoming: (customer) =>
      callStripe(async (stripe): Promise<UpcomingInvoice | undefined> => {
        try {
          const { lastResponse: _response, ...invoice } = await stripe.invoices.createPreview({ customer })
          return invoice
        } catch (error) {
          if (hasErrorCode(error, 'invoice_upcoming_none')) return undefined
          throw error
        }
      }),
    forecast: (subscription, items) =>
      callStripe(async (stripe) => {
        const subscription_details = { items: toStripeItems(items), cancel_at_period_end: false }
        const { lines, currency, next_payment_attempt, created } = await stripe.invoices.createPreview({
          subscription,
          subscription_details,
        })
        const [now, then] = [lines.data.filter(isProration), lines.data.filter((line) => !isProration(line))]
        const nextAt = (next_payment_attempt ?? created) * milliseconds
        return { currency, prorated: sumAmounts(now), monthly: sumAmounts(then), nextAt }
      }),
    rawSubscription: (subscription) =>
      callStripe(async (stripe) => {
        const response = await stripe.subscriptions.retrieve(subscription, { expand: ['latest_invoice'] })
        const { lastResponse: _response, ...raw } = response
        return raw
      }),
    readEvent: (payload, signature) =>
      callStripe(async (stripe): Promise<BillingEvent | undefined> => {
        try {
          const { id, data } = await stripe.webhooks.constructEventAsync(payload, signature, options.webhookSecret)
          const { object, id: own, customer } = data.object as { object?: string; id?: string; customer?: unknown }
          const reference = object === 'customer' ? own : customer
          return { id, customer: typeof reference === 'string' ? reference : null }
        } catch {
          return undefined
        }
      }),
  }
}
