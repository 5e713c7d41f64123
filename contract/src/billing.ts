import { z } from 'zod'
import { accountAccess, type Descriptions, endpoints } from './api/endpoint.ts'
import { signedBody } from './api/signed-body.ts'
import { sid, text } from './api/values.ts'
import { billedCategories, quantityRanges } from './billing/record.ts'

/** Billing of hosted mode (docs/reference/platform-api/hosted-mode.md#billing). Amounts are in cents. */

const amount = z.number().nullable()
const decimal = z.string().nullable()

export const price = z.object({
  stripe_price_id: z.string(),
  billing_scheme: z.enum(['per_unit', 'tiered']),
  currency: z.string(),
  /** Contains interval, interval_count, usage_type, and further members of Stripe. */
  recurring: z.looseObject({ interval: z.string(), interval_count: z.number() }).nullable(),
  tiers_mode: z.string().nullable(),
  /** Empty for prices without tiers. */
  tiers: z.array(
    z.object({
      up_to: z.number().nullable(),
      flat_amount: amount,
      flat_amount_decimal: decimal,
      unit_amount: amount,
      unit_amount_decimal: decimal,
    }),
  ),
  type: z.string(),
  unit_amount: amount,
  unit_amount_decimal: decimal,
})

export const pricedProduct = z.object({
  product_sid: z.string(),
  name: z.string(),
  category: z.enum(billedCategories),
  stripe_product_id: z.string(),
  description: z.string().nullable(),
  unit_label: z.string().nullable(),
  prices: z.array(price),
})
export type PricedProduct = z.infer<typeof pricedProduct>

/** Stripe's preview of the next invoice. Members that are not listed are passed through. */
export const upcomingInvoice = z.looseObject({
  total: z.number(),
  currency: z.string(),
  /** Seconds since the Unix epoch. */
  next_payment_attempt: z.number().nullable(),
})
export type UpcomingInvoice = z.infer<typeof upcomingInvoice>

/** A Stripe subscription with its latest invoice. */
const stripeSubscription = z.looseObject({ id: z.string(), status: z.string() })

export const billingActions = [
  'upgrade-to-paid',
  'update-payment-method',
  'update-quantities',
  'downgrade-to-free',
] as const
export type BillingAction = (typeof billingActions)[number]

const stripeId = text(255)
const { voice_call_session, device } = quantityRanges
/** Upper limit over all subscription lines. The store checks the limit of the product's own line. */
const maxQuantityOfAny = Math.max(voice_call_session.max, device.max)

export const boughtProduct = z.object({
  /** The platform's API responds with 400 if `price_id` or `product_sid` is missing. */
  price_id: stripeId.min(1, { error: 'must not be empty' }),
  product_sid: sid,
  quantity: z
    .int({ error: 'must be a whole number' })
    .min(0, { error: 'must not be negative' })
    .max(maxQuantityOfAny, { error: `must be at most ${maxQuantityOfAny}` }),
})
export type BoughtProduct = z.output<typeof boughtProduct>

/** The handler checks which members an action requires, because the platform's API has its own message for each. */
export const billingRequest = z.object({
  action: z.enum(billingActions, { error: 'invalid or missing action' }),
  payment_method_id: stripeId.nullish(),
  products: z.array(boughtProduct).max(10, { error: 'must be at most 10' }).nullish(),
  /** For update-quantities only: returns the cost without changing anything. */
  dry_run: z.boolean({ error: 'must be true or false' }).nullish(),
  /** Accepted for API compatibility and ignored: the server looks up the customer of the account. */
  stripe_customer_id: stripeId.nullish(),
})
export type BillingRequest = z.output<typeof billingRequest>

/**
 * - `success`: the payment succeeded and the change is in effect. A downgrade takes effect at the end of the paid
 * period.
 * - `action required`: the customer must confirm the payment with `client_secret`. A Stripe webhook completes the
 * change afterwards.
 * - `card error`: the card was declined (see `reason`). The next `update-payment-method` retries the payment with
 * another card.
 * - `failed`: for update-quantities. The capacity is unchanged until the problem in `reason` is fixed.
 * - `failed to pay outstanding invoices`: the new card is stored, but the open invoices are still unpaid.
 */
export const billingStatuses = [
  'success',
  'action required',
  'card error',
  'failed',
  'failed to pay outstanding invoices',
] as const

export const billingOutcome = z.object({
  status: z.enum(billingStatuses),
  client_secret: z.string().optional(),
  reason: z.string().optional(),
  /** ID of the Stripe subscription. */
  subscription: z.string().optional(),
  chargedAmount: z.number().optional(),
  currency: z.string().optional(),
  statementDescriptor: z.string().nullable().optional(),
})
export type BillingOutcome = z.infer<typeof billingOutcome>

/** Response to a dry run. */
export const billingForecast = z.object({
  currency: z.string(),
  /** Charged immediately if positive, credited on the next invoice if negative. */
  prorated_cost: z.number(),
  monthly_cost: z.number(),
  /** Formatted like `Mon Jan 01 2024`. */
  next_invoice_date: z.string(),
})
export type BillingForecast = z.infer<typeof billingForecast>

const own = { minScope: 'account', owner: 'self' } as const

export const billingEndpoints = endpoints({
  'GET /Prices': {
    summary: 'List the products and their prices',
    access: own,
    responses: { 200: z.array(pricedProduct) },
  },
  'GET /StripeCustomerId': {
    summary: 'Get the Stripe customer of the account; creates it if it does not exist',
    access: own,
    responses: { 200: z.object({ stripe_customer_id: z.string() }) },
  },
  'DELETE /StripeCustomerId': {
    summary: 'Delete the Stripe customer of an account without a subscription',
    access: own,
    responses: { 204: null },
  },
  'GET /Invoices': {
    summary: 'Get the next invoice of the account',
    access: own,
    responses: { 200: upcomingInvoice },
  },
  'GET /Accounts/:account_sid/Charges': {
    summary: 'List charges for single calls; always empty, because the plan includes calls',
    access: accountAccess,
    responses: { 200: z.array(z.never()) },
  },
  'GET /Subscriptions': {
    summary: 'Get the current Stripe subscription of the account',
    access: own,
    responses: { 200: stripeSubscription },
  },
  'POST /Subscriptions': {
    summary: 'Upgrade, change the card or the capacity, or return to the free plan, depending on `action`',
    access: { ...own, allowSuspended: true },
    body: billingRequest,
    responses: { 200: billingOutcome, 201: z.union([billingOutcome, billingForecast]) },
  },
  'POST /stripe/webhook': {
    summary: 'Receive a signed Stripe webhook event; also available at /stripe/webhook without a prefix',
    access: { minScope: 'public', owner: 'none' },
    signedBy: 'stripe-signature',
    body: signedBody,
    bodyLimit: 512 * 1024,
    responses: { 204: null },
  },
})

/** Descriptions of fields for the API documentation. */
export const billingDescriptions: Descriptions = {
  action:
    'Change of the subscription: upgrade-to-paid, downgrade-to-free, update-payment-method, or update-quantities.',
  billing_scheme: 'Billing scheme at Stripe: per_unit or tiered.',
  category: 'Kind of the product, such as voice_call_session.',
  chargedAmount: 'Charged amount.',
  currency: 'Currency as ISO 4217 code in lower case.',
  flat_amount: 'Fixed price of the tier in the smallest unit of the currency.',
  flat_amount_decimal: 'Fixed price of the tier as decimal text.',
  interval: 'Billing interval: day, week, month, or year.',
  interval_count: 'Number of intervals between invoices.',
  monthly_cost: 'New monthly cost in cents.',
  next_invoice_date: 'Date of the next invoice.',
  next_payment_attempt: 'Time of the next payment in seconds since 1970.',
  payment_method_id: 'ID of the payment method at Stripe.',
  price_id: 'ID of the price at Stripe.',
  prices: 'Prices of the product.',
  product_sid: 'SID of the product.',
  products: 'Products with their quantities.',
  prorated_cost: 'Amount in cents that is charged now, or credited on the next invoice if negative.',
  recurring: 'Billing interval of the price.',
  statementDescriptor: 'Text on the statement of the card.',
  stripe_price_id: 'ID of the price at Stripe.',
  stripe_product_id: 'ID of the product at Stripe.',
  subscription: 'Subscription of the account.',
  tiers: 'Tiers of the price.',
  tiers_mode: 'How tiers apply: graduated or volume.',
  unit_amount: 'Price per unit in the smallest unit of the currency.',
  unit_amount_decimal: 'Price per unit as decimal text.',
  unit_label: 'Name of the unit.',
  up_to: 'Upper limit of the tier.',
}
