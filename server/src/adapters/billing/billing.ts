import type { PricedProduct, UpcomingInvoice } from '@patchbay/contract/billing'
import type { BilledCategory } from '@patchbay/contract/plans/pricing'

/** Who takes the money of customers, in our words. Amounts are in cents, times in epoch milliseconds. */

/** A product that can be bought; what it is called here, its own table says. */
export type Offer = Omit<PricedProduct, 'product_sid' | 'name'>

export interface Card {
  id: string
  last4: string
  exp_month: number
  exp_year: number
  card_type: string
}

export interface BilledItem {
  id: string
  price_id: string
  quantity: number
  /** as it was bought here */
  product_sid: string | null
  /** as its product says, where the item does not */
  category: BilledCategory | null
}

/** What is to be held: one of it by its id, or new by its price. Of 0 there is none. */
export interface ItemChange {
  id?: string
  price_id: string
  product_sid: string
  quantity: number
}

export interface LatestInvoice {
  id: string
  isOpen: boolean
  isPaid: boolean
  paid: number
  statementDescriptor: string | null
  /** how its payment stands, while it is open */
  payment: { needsCustomer: boolean; clientSecret: string | null; reason: string | null } | null
}

/**
 * - `incomplete`: its first payment has not come
 * - `running`
 * - `owed`: a later payment failed
 * - `over`
 */
export type BilledStatus = 'incomplete' | 'running' | 'owed' | 'over'

export interface BilledSubscription {
  id: string
  status: BilledStatus
  created: number
  /** of the row it was bought for */
  account_subscription_sid: string | null
  currency: string
  items: BilledItem[]
  periodEnd: number
  endsWithPeriod: boolean
  /** a change waits for its payment, which is that of the latest invoice */
  hasPendingChange: boolean
  latestInvoice: LatestInvoice | null
}

export interface BilledCustomer {
  isDeleted: boolean
  card: Card | null
  /** newest first; those that are over, too */
  subscriptions: BilledSubscription[]
}

export interface Purchase {
  customer: string
  account_sid: string
  account_subscription_sid: string
  items: readonly ItemChange[]
}

export interface Forecast {
  currency: string
  prorated: number
  monthly: number
  nextAt: number
}

export interface BillingEvent {
  id: string
  /** whom it is about, where it says so */
  customer: string | null
}

/**
 * Each write takes a key: with the same key and the same words it is carried out once, however often it is asked.
 * What fails throws a BillingFault.
 */
export interface Billing {
  /** these products, or without them all that are for everybody */
  offers(products?: readonly string[]): Promise<Offer[]>
  createCustomer(who: { account_sid: string; email: string | null; name: string | null }, key: string): Promise<string>
  /** with all that it has; gone already is as good */
  deleteCustomer(customer: string): Promise<void>
  customer(customer: string): Promise<BilledCustomer>
  /** Gives the customer a card, which is used from now on. */
  useCard(customer: string, method: string, key: string): Promise<Card>
  /** gone already is as good */
  forgetCard(card: string, key: string): Promise<void>
  subscribe(purchase: Purchase, key: string): Promise<void>
  /** What it costs more is charged at once; until that is paid nothing changes. */
  changeItems(subscription: string, items: readonly ItemChange[], key: string): Promise<void>
  endWithPeriod(subscription: string, ends: boolean, key: string): Promise<void>
  /** at once; over already is as good */
  cancel(subscription: string): Promise<void>
  pay(invoice: string, card: string, key: string): Promise<void>
  /** Makes sure that an open invoice is never paid; fails where it has been. */
  dropInvoice(invoice: string, key: string): Promise<void>
  /** undefined where nothing comes */
  upcoming(customer: string): Promise<UpcomingInvoice | undefined>
  forecast(subscription: string, items: readonly ItemChange[]): Promise<Forecast>
  /** as it is over there */
  rawSubscription(subscription: string): Promise<{ id: string; status: string }>
  /** undefined where the signature is not good */
  readEvent(payload: string, signature: string): Promise<BillingEvent | undefined>
}

/**
 * - `card`: the card was refused, in words for its owner
 * - `refused`: what was asked cannot be
 * - `failed`: nothing was done, for now
 * - `silent`: nobody knows whether it was done
 */
export type FaultKind = 'card' | 'refused' | 'failed' | 'silent'

export class BillingError extends Error {
  readonly kind: FaultKind
  constructor(kind: FaultKind, message: string, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
  }
}
