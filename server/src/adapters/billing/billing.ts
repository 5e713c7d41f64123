import type { PricedProduct, UpcomingInvoice } from '@patchbay/contract/billing'
import type { BilledCategory } from '@patchbay/contract/billing/record'

/** The payment provider in Patchbay's terms. Amounts are in cents, times in epoch milliseconds. */

/** A product that the payment provider sells. The `products` table stores the name that Patchbay uses for it. */
export type Offer = Omit<PricedProduct, 'product_sid' | 'name'>

/** A payment card. `id` identifies it at the payment provider. */
export interface Card {
  id: string
  last4: string
  exp_month: number
  exp_year: number
  card_type: string
}

/** An item of a subscription. */
export interface BilledItem {
  id: string
  price_id: string
  quantity: number
  /** Set if the item was bought through Patchbay. */
  product_sid: string | null
  /** Read from the payment provider's product if `product_sid` is null. */
  category: BilledCategory | null
}

/** The target quantity of an item: an existing one is named by `id`, a new one by its price. Quantity 0 removes it. */
export interface ItemChange {
  id?: string
  price_id: string
  product_sid: string
  quantity: number
}

/** The latest invoice of a subscription. `paid` is the paid amount. */
export interface LatestInvoice {
  id: string
  isOpen: boolean
  isPaid: boolean
  paid: number
  statementDescriptor: string | null
  /** State of the payment. Null unless the invoice is open. */
  payment: { needsCustomer: boolean; clientSecret: string | null; reason: string | null } | null
}

/**
 * - `incomplete`: the first payment has not arrived
 * - `running`
 * - `owed`: a later payment failed
 * - `over`
 */
export type BilledStatus = 'incomplete' | 'running' | 'owed' | 'over'

/** A subscription at the payment provider. */
export interface BilledSubscription {
  id: string
  status: BilledStatus
  created: number
  /** Subscription row in Patchbay's database. Null if the subscription was created elsewhere. */
  account_subscription_sid: string | null
  currency: string
  items: BilledItem[]
  periodEnd: number
  endsWithPeriod: boolean
  /** True if a change takes effect only when the latest invoice is paid. */
  hasPendingChange: boolean
  latestInvoice: LatestInvoice | null
}

/** A customer of the payment provider, which belongs to one account. */
export interface BilledCustomer {
  isDeleted: boolean
  card: Card | null
  /** Newest first, including ended ones. */
  subscriptions: BilledSubscription[]
}

/** A first purchase of an account. */
export interface Purchase {
  customer: string
  account_sid: string
  account_subscription_sid: string
  items: readonly ItemChange[]
}

/**
 * The effect of a change on the bill: the amount due immediately, the monthly amount, and the time of the next invoice.
 */
export interface Forecast {
  currency: string
  prorated: number
  monthly: number
  nextAt: number
}

/** An event that the payment provider reports to its webhook. */
export interface BillingEvent {
  id: string
  /** Null if the event names no customer. */
  customer: string | null
}

/**
 * The operations of a payment provider. A write that is repeated with the same key and arguments is carried out only
 * once.
 * All operations throw BillingError.
 */
export interface Billing {
  /** Sends a request that changes nothing, to find out whether the payment provider accepts the key. */
  check(): Promise<void>
  /** Returns these products, or all generally available ones. */
  offers(products?: readonly string[]): Promise<Offer[]>
  /** Creates the customer of an account and returns its ID. */
  createCustomer(who: { account_sid: string; email: string | null; name: string | null }, key: string): Promise<string>
  /** Deletes a customer with all data. Does nothing if the customer no longer exists. */
  deleteCustomer(customer: string): Promise<void>
  /** Reads a customer with card and subscriptions. */
  customer(customer: string): Promise<BilledCustomer>
  /** Attaches a card to the customer and makes it the default. */
  useCard(customer: string, method: string, key: string): Promise<Card>
  /** Does nothing if the card no longer exists. */
  forgetCard(card: string, key: string): Promise<void>
  /** Creates a subscription. If the first payment fails, the subscription stays `incomplete`. */
  subscribe(purchase: Purchase, key: string): Promise<void>
  /** Changes the items. A higher price is charged immediately, and the change takes effect when that charge is paid. */
  changeItems(subscription: string, items: readonly ItemChange[], key: string): Promise<void>
  /** Cancels a subscription at the end of the paid period, or withdraws that. */
  endWithPeriod(subscription: string, ends: boolean, key: string): Promise<void>
  /** Cancels immediately. Does nothing if the subscription no longer exists. */
  cancel(subscription: string): Promise<void>
  /** Pays an open invoice with a card. */
  pay(invoice: string, card: string, key: string): Promise<void>
  /** Voids an open invoice so that it can never be paid. Fails if it has been paid. */
  dropInvoice(invoice: string, key: string): Promise<void>
  /** Returns undefined if no invoice is due. */
  upcoming(customer: string): Promise<UpcomingInvoice | undefined>
  /** Computes the effect of a change without making it. */
  forecast(subscription: string, items: readonly ItemChange[]): Promise<Forecast>
  /** Returns the provider's own representation of a subscription. */
  rawSubscription(subscription: string): Promise<{ id: string; status: string }>
  /** Returns undefined if the signature is invalid. */
  readEvent(payload: string, signature: string): Promise<BillingEvent | undefined>
}

/**
 * - `card`: the card was declined, with a reason for its owner
 * - `refused`: the request is invalid
 * - `failed`: nothing was done, but a retry may succeed
 * - `silent`: no response, so it is unknown whether the request was carried out
 */
export type BillingErrorKind = 'card' | 'refused' | 'failed' | 'silent'

/** Thrown by all operations of `Billing`. */
export class BillingError extends Error {
  readonly kind: BillingErrorKind
  constructor(kind: BillingErrorKind, message: string, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
  }
}
