import { type BilledCategory, billedCategories } from '@patchbay/contract/billing/record'
import type Stripe from 'stripe'
import type { BilledItem, BilledStatus, BilledSubscription, Card, LatestInvoice, Offer } from './billing.ts'

/** Converts Stripe's objects to Patchbay's. */

const milliseconds = 1000

/** Returns the ID of an object that Stripe represents by its ID or in full. */
export const getId = (reference: string | { id: string }): string =>
  typeof reference === 'string' ? reference : reference.id

/** Stripe represents fractions of a cent by decimal objects. */
const formatDecimal = (amount: { toString(): string } | null): string | null =>
  amount === null ? null : amount.toString()

/** Returns the category of a product from its metadata (docs/reference/platform-api/hosted-mode.md#prices), or null. */
export const parseCategory = (metadata: Stripe.Metadata): BilledCategory | null =>
  billedCategories.find((category) => category === metadata['jambonz_category']) ?? null

type PriceOffer = Offer['prices'][number]

/** Returns no offer if the price has an unsupported billing scheme. */
const toPriceOffers = (price: Stripe.Price): PriceOffer[] => {
  const { recurring } = price
  const billing_scheme = (['per_unit', 'tiered'] as const).find((scheme) => scheme === price.billing_scheme)
  if (billing_scheme === undefined) return []
  return [
    {
      stripe_price_id: price.id,
      billing_scheme,
      currency: price.currency,
      recurring: recurring && { ...recurring },
      tiers_mode: price.tiers_mode,
      tiers: (price.tiers ?? []).map((tier) => ({
        up_to: tier.up_to,
        flat_amount: tier.flat_amount,
        flat_amount_decimal: formatDecimal(tier.flat_amount_decimal),
        unit_amount: tier.unit_amount,
        unit_amount_decimal: formatDecimal(tier.unit_amount_decimal),
      })),
      type: price.type,
      unit_amount: price.unit_amount,
      unit_amount_decimal: formatDecimal(price.unit_amount_decimal),
    },
  ]
}

/** Converts a product and its prices. Returns no offer for a product without a category. */
export const toOffer = (product: Stripe.Product, prices: readonly Stripe.Price[]): Offer[] => {
  const category = parseCategory(product.metadata)
  if (category === null) return []
  const { id: stripe_product_id, description, unit_label = null } = product
  return [{ category, stripe_product_id, description, unit_label, prices: prices.flatMap(toPriceOffers) }]
}

/** Converts a payment method of type card. */
export const toCard = ({ id, card }: Stripe.PaymentMethod): Card => ({
  id,
  last4: card?.last4 ?? '',
  exp_month: card?.exp_month ?? 0,
  exp_year: card?.exp_year ?? 0,
  card_type: (card?.brand ?? '').slice(0, 16),
})

const statuses: Readonly<Record<string, BilledStatus>> = {
  incomplete: 'incomplete',
  active: 'running',
  trialing: 'running',
  past_due: 'owed',
  unpaid: 'owed',
  paused: 'owed',
}

/** @param intent the payment of an open invoice */
export const toInvoice = (invoice: Stripe.Invoice, intent: Stripe.PaymentIntent | undefined): LatestInvoice => ({
  id: invoice.id,
  isOpen: invoice.status === 'open',
  isPaid: invoice.status === 'paid',
  paid: invoice.amount_paid,
  statementDescriptor: invoice.statement_descriptor,
  payment: intent
    ? {
        needsCustomer: intent.status === 'requires_action' || intent.status === 'requires_confirmation',
        clientSecret: invoice.confirmation_secret?.client_secret ?? intent.client_secret,
        reason: intent.last_payment_error?.message ?? null,
      }
    : null,
})

const toItem = (item: Stripe.SubscriptionItem): BilledItem => ({
  id: item.id,
  price_id: item.price.id,
  quantity: item.quantity ?? 0,
  product_sid: item.metadata['product_sid'] ?? null,
  category: null,
})

/** Converts a subscription. The category of its items is not part of it, so it is null. */
export const toSubscription = (
  subscription: Stripe.Subscription,
  latestInvoice: LatestInvoice | null,
): BilledSubscription => ({
  id: subscription.id,
  status: statuses[subscription.status] ?? 'over',
  created: subscription.created * milliseconds,
  account_subscription_sid: subscription.metadata['account_subscription_sid'] ?? null,
  currency: subscription.currency,
  items: subscription.items.data.map(toItem),
  periodEnd: Math.max(0, ...subscription.items.data.map((item) => item.current_period_end)) * milliseconds,
  endsWithPeriod: subscription.cancel_at_period_end || subscription.cancel_at !== null,
  hasPendingChange: subscription.pending_update !== null,
  latestInvoice,
})

/** Returns whether an invoice line prorates the rest of the current period. */
export const isProration = ({ parent }: Stripe.InvoiceLineItem): boolean =>
  parent?.subscription_item_details?.proration ?? parent?.invoice_item_details?.proration ?? false
