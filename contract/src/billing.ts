import { z } from 'zod'
import { endpoints, type SignedBody } from './endpoint.ts'
import { billedCategories, subscriptionLines } from './plans/pricing.ts'
import { sid, text } from './values.ts'

/** Billing of hosted mode (api/4-calls-and-hosted.md §5.6 to §5.9). Amounts are in cents. */

const amount = z.number().nullable()
const decimal = z.string().nullable()

export const price = z.object({
  stripe_price_id: z.string(),
  billing_scheme: z.enum(['per_unit', 'tiered']),
  currency: z.string(),
  /** interval, interval_count, usage_type and what else Stripe says */
  recurring: z.looseObject({ interval: z.string(), interval_count: z.number() }).nullable(),
  tiers_mode: z.string().nullable(),
  /** empty where the price has none */
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

/** The next invoice as Stripe foresees it; the rest of it passes straight through. */
export const upcomingInvoice = z.looseObject({
  total: z.number(),
  currency: z.string(),
  /** Unix seconds */
  next_payment_attempt: z.number().nullable(),
})
export type UpcomingInvoice = z.infer<typeof upcomingInvoice>

/** A subscription as Stripe has it, with its latest invoice. */
const stripeSubscription = z.looseObject({ id: z.string(), status: z.string() })

export const billingActions = [
  'upgrade-to-paid',
  'update-payment-method',
  'update-quantities',
  'downgrade-to-free',
] as const
export type BillingAction = (typeof billingActions)[number]

const stripeId = text(255)
const { voice_call_session, device } = subscriptionLines
/** No line may hold more than this; which line a product is, its store knows. */
const maxQuantityOfAny = Math.max(voice_call_session.max, device.max)

export const boughtProduct = z.object({
  /** the wire answers 400 where one of them is missing */
  price_id: stripeId.min(1, { error: 'must not be empty' }),
  product_sid: sid,
  quantity: z
    .int({ error: 'must be a whole number' })
    .min(0, { error: 'must not be negative' })
    .max(maxQuantityOfAny, { error: `must be at most ${maxQuantityOfAny}` }),
})
export type BoughtProduct = z.output<typeof boughtProduct>

/** Which members an action needs, its handler says (the wire's own words). */
export const billingRequest = z.object({
  action: z.enum(billingActions, { error: 'invalid or missing action' }),
  payment_method_id: stripeId.nullish(),
  products: z.array(boughtProduct).max(10, { error: 'must be at most 10' }).nullish(),
  /** only of update-quantities: says what it would cost, and changes nothing */
  dry_run: z.boolean({ error: 'must be true or false' }).nullish(),
  /** the wire sends it; whose customer it is, the server knows */
  stripe_customer_id: stripeId.nullish(),
})
export type BillingRequest = z.output<typeof billingRequest>

/**
 * - `success`: paid, and what was asked for is there (of a downgrade: it ends with the period that is paid for)
 * - `action required`: the customer must confirm the payment with `client_secret`; then a webhook goes on
 * - `card error`: the card was refused, as `reason` says; the next `update-payment-method` pays with another
 * - `failed`: of update-quantities; the capacity stays as it was until `reason` is mended
 * - `failed to pay outstanding invoices`: the new card is stored, and what was owed is owed still
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
  /** id of the subscription at Stripe */
  subscription: z.string().optional(),
  chargedAmount: z.number().optional(),
  currency: z.string().optional(),
  statementDescriptor: z.string().nullable().optional(),
})
export type BillingOutcome = z.infer<typeof billingOutcome>

/** What a dry run answers. */
export const billingForecast = z.object({
  currency: z.string(),
  /** at once: above 0 charged, below 0 credited with the next invoice */
  prorated_cost: z.number(),
  monthly_cost: z.number(),
  /** as `Mon Jan 01 2024` */
  next_invoice_date: z.string(),
})
export type BillingForecast = z.infer<typeof billingForecast>

const signedBody: z.ZodType<SignedBody> = z.object({ payload: z.string(), signature: z.string() })

const own = { minScope: 'account', owner: 'self' } as const

export const billingEndpoints = endpoints({
  'GET /Prices': {
    summary: 'What can be bought, and what it costs',
    access: own,
    responses: { 200: z.array(pricedProduct) },
  },
  'GET /StripeCustomerId': {
    summary: 'Who the account is at Stripe; made there where it is nobody yet',
    access: own,
    responses: { 200: z.object({ stripe_customer_id: z.string() }) },
  },
  'DELETE /StripeCustomerId': {
    summary: 'Forget the account at Stripe, which needs to have no subscription there',
    access: own,
    responses: { 204: null },
  },
  'GET /Invoices': {
    summary: 'The next invoice of the account',
    access: own,
    responses: { 200: upcomingInvoice },
  },
  'GET /Accounts/:account_sid/Charges': {
    summary: 'Charges for single calls: there are none, calls are in the price of the plan',
    access: {
      minScope: 'account',
      owner: { of: 'account', param: 'account_sid' },
      refusal: 'insufficient_privileges',
    },
    responses: { 200: z.array(z.never()) },
  },
  'GET /Subscriptions': {
    summary: 'The running subscription of the account as Stripe has it',
    access: own,
    responses: { 200: stripeSubscription },
  },
  'POST /Subscriptions': {
    summary: 'Upgrade, change the card or the capacities, return to the free plan, as `action` says',
    access: { ...own, whileSuspended: true },
    body: billingRequest,
    responses: { 200: billingOutcome, 201: z.union([billingOutcome, billingForecast]) },
  },
  'POST /stripe/webhook': {
    summary: 'Stripe says that something happened; signed by it. Also at /stripe/webhook without a prefix',
    access: { minScope: 'public', owner: 'none' },
    signedBy: 'stripe-signature',
    body: signedBody,
    bodyLimit: 512 * 1024,
    responses: { 204: null },
  },
})
