import { type BilledCategory, billedCategories, quantityRanges } from '@patchbay/contract/billing/record'

/**
 * Prices and capacities of subscriptions (BILLING-04 to BILLING-13,
 * docs/reference/platform-api/hosted-mode.md#price-of-a-line). Amounts are in the smallest unit
 * of the currency, such as cents.
 */

export const defaultCurrency = 'usd'

export interface PriceTier {
  /** The highest capacity of the tier. Null for the last tier. */
  up_to: number | null
  flat_amount: number | null
  unit_amount: number | null
}

export interface Price {
  stripe_price_id: string
  currency: string
  billing_scheme: 'per_unit' | 'tiered'
  unit_amount: number | null
  tiers: readonly PriceTier[]
}

export interface PricedProduct {
  category: BilledCategory
  product_sid: string
  unit_label: string | null
  prices: readonly Price[]
}

/** A row on the subscription screens. */
export interface SubscriptionLine {
  category: BilledCategory
  /** Name of the product in the subscription. */
  name: string
  /** Label on the screen. */
  service: string
  /** Price per unit, or of all units if the price is flat. */
  fees: number
  feesLabel: string
  cost: number
  capacity: number
  currency: string
  min: number
  max: number
  visible: boolean
  required: boolean
  invalid: boolean
  dirty: boolean
}

const unpriced = { fees: 0, feesLabel: '', cost: 0, currency: defaultCurrency, invalid: false, dirty: false }

/** The lines before prices and the account's subscription are loaded. */
export const subscriptionLines: Readonly<Record<BilledCategory, SubscriptionLine>> = {
  voice_call_session: {
    ...unpriced,
    category: 'voice_call_session',
    name: 'concurrent call session',
    service: 'Maximum concurrent call sessions',
    capacity: 0,
    ...quantityRanges.voice_call_session,
    visible: true,
    required: true,
  },
  device: {
    ...unpriced,
    category: 'device',
    name: 'registered device',
    service: 'Additional device registrations',
    capacity: 0,
    ...quantityRanges.device,
    visible: false,
    required: false,
  },
}

/** Capacities of an account without a paid subscription. */
export const starterPlans = {
  trial: { voice_call_session: 5, device: 0 },
  free: { voice_call_session: 1, device: 1 },
} as const satisfies Record<string, Readonly<Record<BilledCategory, number>>>
export type StarterPlan = keyof typeof starterPlans

export const trialDays = 21

const symbols: Readonly<Record<string, string>> = { usd: '$', eur: '€', gbp: '£', jpy: '¥' }

/**
 * Returns the symbol of a currency, such as `$` for `usd`. Unknown currencies are written in capital letters, followed
 * by a space.
 */
export const currencySymbol = (currency: string): string =>
  symbols[currency.toLowerCase()] ?? `${currency.toUpperCase()} `

/**
 * Currencies whose smallest unit at Stripe is not a hundredth (https://docs.stripe.com/currencies#zero-decimal). Stripe
 * counts some currencies without cents, such as ISK and UGX, in hundredths.
 */
const withoutDecimals = /^(?:bif|clp|djf|gnf|jpy|kmf|krw|mga|pyg|rwf|vnd|vuv|xaf|xof|xpf)$/i
const withThreeDecimals = /^(?:bhd|jod|kwd|omr|tnd)$/i

const countDecimals = (currency: string): number =>
  withoutDecimals.test(currency) ? 0 : withThreeDecimals.test(currency) ? 3 : 2

/** Formats an amount in the smallest unit of the currency: 1250 cents become `$12.50`. The sign precedes the currency. */
export const formatMoney = (amount: number, currency = defaultCurrency): string => {
  const sign = amount < 0 ? '-' : ''
  const decimals = countDecimals(currency)
  return `${sign}${currencySymbol(currency)}${(Math.abs(amount) / 10 ** decimals).toFixed(decimals)}`
}

/** Returns `per session` for both `session` and `per session`. */
export const formatPerUnit = (unit_label: string | null): string => {
  const unit = (unit_label ?? 'unit').trim().replace(/^per\s+/i, '')
  return `per ${unit}`
}

export interface Cost {
  fees: number
  cost: number
}

const findTier = (tiers: readonly PriceTier[], capacity: number): PriceTier | undefined =>
  tiers.find(({ up_to }) => up_to === null || up_to >= capacity)

/**
 * Returns the cost of a capacity. With a unit price, each unit costs the unit amount. With tiers, the first tier that
 * covers the capacity applies: its flat amount is the total cost, or each unit costs its unit amount if its flat amount
 * is missing or 0. Stripe sends 0 for a tier that charges by unit only.
 */
export const computeCost = ({ billing_scheme, unit_amount, tiers }: Price, capacity: number): Cost => {
  const tier = billing_scheme === 'tiered' ? findTier(tiers, capacity) : undefined
  if (tier?.flat_amount) return { fees: tier.flat_amount, cost: tier.flat_amount }
  const fees = (billing_scheme === 'tiered' ? tier?.unit_amount : unit_amount) ?? 0
  return { fees, cost: fees * capacity }
}

/** Returns the highest capacity that has a price. Only tiers limit it. */
export const highestPricedCapacity = ({ billing_scheme, tiers }: Price): number =>
  billing_scheme === 'tiered' ? Math.max(0, ...tiers.map(({ up_to }) => up_to ?? Infinity)) : Infinity

/** Returns the product's price in this currency. */
export const findPrice = (product: PricedProduct | undefined, currency = defaultCurrency): Price | undefined =>
  product?.prices.find((price) => price.currency === currency)

/** Returns whether a line's capacity prevents saving. Hidden lines never do. */
const isInvalid = ({ visible, min, max }: SubscriptionLine, capacity: number): boolean =>
  visible && !(Number.isInteger(capacity) && capacity >= min && capacity <= max)

/**
 * Returns the line with another capacity, its cost, and its validity. The last tier of the price limits the capacity,
 * because a capacity above it has no price.
 */
export const withCapacity = (
  line: SubscriptionLine,
  capacity: number,
  product: PricedProduct | undefined,
): SubscriptionLine => {
  const price = findPrice(product)
  const units = Number.isFinite(capacity) ? capacity : 0
  const { fees, cost } = price ? computeCost(price, units) : { fees: 0, cost: 0 }
  const currency = price?.currency ?? defaultCurrency
  const feesLabel = price ? `${formatMoney(fees, currency)} ${formatPerUnit(product?.unit_label ?? null)}` : ''
  const dirty = line.dirty || capacity !== line.capacity
  const max = Math.min(subscriptionLines[line.category].max, price ? highestPricedCapacity(price) : Infinity)
  const limited = { ...line, max }
  return { ...limited, capacity, fees, feesLabel, cost, currency, dirty, invalid: isInvalid(limited, capacity) }
}

export interface BoughtProduct {
  name: string
  quantity: number
}

/** Returns the bought quantity of a category, without the devices that each session includes. */
export const boughtQuantity = (bought: readonly BoughtProduct[], category: BilledCategory): number =>
  bought.find(({ name }) => name === subscriptionLines[category].name)?.quantity ?? 0

/**
 * Returns the initial lines for the account's subscription. A line is visible if it has a capacity. The line of
 * concurrent calls is always visible, so that accounts without a subscription can choose a capacity.
 */
export const toSubscriptionLines = (
  bought: readonly BoughtProduct[],
  products: readonly PricedProduct[],
): SubscriptionLine[] =>
  billedCategories.map((category) => {
    const line = subscriptionLines[category]
    const capacity = boughtQuantity(bought, category)
    const product = products.find((one) => one.category === category)
    return { ...withCapacity({ ...line, visible: line.visible || capacity > 0 }, capacity, product), dirty: false }
  })

/** Returns the monthly cost of all visible lines. */
export const sumLines = (lines: readonly SubscriptionLine[]): number =>
  lines.filter(({ visible }) => visible).reduce((sum, { cost }) => sum + cost, 0)

/**
 * Returns the number of devices that can register, as the platform enforces it: each additional device counts as one
 * (docs/reference/requirements.md#deviations, BILLING-09).
 * @param ratio devices per session, `device_to_call_ratio` of the account
 */
export const computeDevices = (ratio: number, calls: number, devices: number): number => ratio * calls + devices

export interface PlanCapacity {
  calls: number
  devices: number
}

/**
 * Returns the capacity of an account with these products.
 * @param ratio devices per session, `device_to_call_ratio` of the account
 */
export const planCapacity = (ratio: number, bought: readonly BoughtProduct[]): PlanCapacity => {
  const calls = boughtQuantity(bought, 'voice_call_session')
  return { calls, devices: computeDevices(ratio, calls, boughtQuantity(bought, 'device')) }
}

/** The capacity of the free plan. It does not depend on `device_to_call_ratio` (BILLING-14). */
export const freePlanCapacity: PlanCapacity = {
  calls: starterPlans.free.voice_call_session,
  devices: starterPlans.free.device,
}

const formatCount = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`

/** Formats a capacity such as `5 simultaneous calls and 1 registered device`. */
export const formatPlanCapacity = ({ calls, devices }: PlanCapacity): string =>
  `${formatCount(calls, 'simultaneous call')} and ${formatCount(devices, 'registered device')}`
