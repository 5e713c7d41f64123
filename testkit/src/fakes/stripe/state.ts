import { randomBytes } from 'node:crypto'
import type { Json } from './http.ts'

/** State of the fake Stripe. Times are in seconds since the Unix epoch, amounts in cents. */

export type CardKind =
  | 'good'
  /** Rejected when it is attached. */
  | 'refused'
  /** Can be attached, but is declined when it is charged. */
  | 'declines'
  /** Requires the customer's authentication once (3-D Secure). */
  | 'asks'
  /** Requires authentication for every charge. */
  | 'always asks'

export interface Product {
  id: string
  name: string
  active: boolean
  description: string | null
  unit_label: string | null
  metadata: Record<string, string>
}

export interface Tier {
  up_to: number | null
  unit_amount: number | null
  flat_amount: number | null
}

export interface Price {
  id: string
  product: string
  active: boolean
  currency: string
  billing_scheme: 'per_unit' | 'tiered'
  tiers_mode: 'volume' | 'graduated' | null
  unit_amount: number | null
  tiers: Tier[]
}

export interface Customer {
  id: string
  deleted: boolean
  email: string | null
  name: string | null
  metadata: Record<string, string>
  default_payment_method: string | null
  /** A negative balance is a credit. */
  balance: number
  created: number
}

export interface PaymentMethod {
  id: string
  customer: string | null
  kind: CardKind
  brand: string
  last4: string
  exp_month: number
  exp_year: number
  /** True after the first successful authentication. */
  authenticated: boolean
  created: number
}

export interface SubscriptionItem {
  id: string
  price: string
  quantity: number
  metadata: Record<string, string>
}

export interface Subscription {
  id: string
  customer: string
  status: 'incomplete' | 'incomplete_expired' | 'active' | 'past_due' | 'unpaid' | 'canceled'
  metadata: Record<string, string>
  items: SubscriptionItem[]
  created: number
  period_start: number
  period_end: number
  cancel_at_period_end: boolean
  canceled_at: number | null
  ended_at: number | null
  default_payment_method: string | null
  latest_invoice: string
  pending_update: { expires_at: number; items: SubscriptionItem[]; invoice: string } | null
}

export interface InvoiceLine {
  id: string
  amount: number
  description: string
  proration: boolean
  price: string
  product: string
  quantity: number
  subscription_item: string
  period: { start: number; end: number }
}

export interface Invoice {
  id: string
  customer: string
  subscription: string
  billing_reason: 'subscription_create' | 'subscription_update' | 'subscription_cycle'
  status: 'open' | 'paid' | 'void' | 'uncollectible'
  lines: InvoiceLine[]
  total: number
  starting_balance: number
  amount_due: number
  amount_paid: number
  attempt_count: number
  next_payment_attempt: number | null
  created: number
  payment_intent: string | null
}

export interface PaymentIntent {
  id: string
  client_secret: string
  customer: string
  invoice: string
  amount: number
  currency: string
  status: 'requires_payment_method' | 'requires_action' | 'succeeded' | 'canceled'
  payment_method: string | null
  last_payment_error: { type: 'card_error'; code: string; decline_code?: string; message: string } | null
  created: number
}

/** A successful charge. */
export interface Charge {
  customer: string
  invoice: string
  subscription: string
  amount: number
  at: number
  /** Status of the subscription at the time of the charge. */
  status: Subscription['status']
}

export interface StripeEvent {
  id: string
  type: string
  created: number
  object: Json
  request: { id: string | null; idempotency_key: string | null }
}

export interface State {
  now: number
  products: Map<string, Product>
  prices: Map<string, Price>
  customers: Map<string, Customer>
  methods: Map<string, PaymentMethod>
  subscriptions: Map<string, Subscription>
  invoices: Map<string, Invoice>
  intents: Map<string, PaymentIntent>
  charges: Charge[]
  events: StripeEvent[]
  /** The request that is being processed. */
  request: StripeEvent['request']
}

export const freshState = (): State => ({
  now: Math.floor(Date.now() / 1000),
  products: new Map(),
  prices: new Map(),
  customers: new Map(),
  methods: new Map(),
  subscriptions: new Map(),
  invoices: new Map(),
  intents: new Map(),
  charges: [],
  events: [],
  request: { id: null, idempotency_key: null },
})

export const newId = (prefix: string): string => `${prefix}_${randomBytes(12).toString('hex')}`

/** Returns the values of a map, most recently created first. */
export const newestFirst = <T>(things: ReadonlyMap<string, T>): T[] => [...things.values()].toReversed()
