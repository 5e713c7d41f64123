/** What subscriptions cost and hold (spec 001 §3, §9; api/4-calls-and-hosted.md §5.10, §6.9). Amounts are in cents. */

export const billedCategories = ['voice_call_session', 'device'] as const
export type BilledCategory = (typeof billedCategories)[number]

export const defaultCurrency = 'usd'

export interface PriceTier {
  /** the last capacity of the tier; null: all that is more */
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

/** A row of the subscription screens. */
export interface SubscriptionLine {
  category: BilledCategory
  /** of the product, which a subscription names */
  name: string
  /** what people read */
  service: string
  /** of one, or of all where the price is flat */
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

/** The lines before anything is known of prices and of what an account has. */
export const subscriptionLines: Readonly<Record<BilledCategory, SubscriptionLine>> = {
  voice_call_session: {
    ...unpriced,
    category: 'voice_call_session',
    name: 'concurrent call session',
    service: 'Maximum concurrent call sessions',
    capacity: 0,
    min: 5,
    max: 1000,
    visible: true,
    required: true,
  },
  device: {
    ...unpriced,
    category: 'device',
    name: 'registered device',
    service: 'Additional device registrations',
    capacity: 0,
    min: 0,
    max: 200,
    visible: false,
    required: false,
  },
}

/** What an account holds without paying. */
export const starterPlans = {
  trial: { voice_call_session: 5, device: 0 },
  free: { voice_call_session: 1, device: 1 },
} as const satisfies Record<string, Readonly<Record<BilledCategory, number>>>
export type StarterPlan = keyof typeof starterPlans

export const trialDays = 21

const symbols: Readonly<Record<string, string>> = { usd: '$', eur: '€', gbp: '£', jpy: '¥' }

/** `$` of `usd`; where none is known, the letters of the currency with a space. */
export const currencySymbol = (currency: string): string =>
  symbols[currency.toLowerCase()] ?? `${currency.toUpperCase()} `

/** `$12.50` of 1250 cents; whatever sign they have. */
export const moneyText = (cents: number, currency = defaultCurrency): string => {
  const sign = cents < 0 ? '-' : ''
  return `${sign}${currencySymbol(currency)}${(Math.abs(cents) / 100).toFixed(2)}`
}

/** `per session` of `session`, and of `per session` too. */
export const perUnit = (unit_label: string | null): string => {
  const unit = (unit_label ?? 'unit').trim().replace(/^per\s+/i, '')
  return `per ${unit}`
}

export interface Cost {
  fees: number
  cost: number
}

const tierOf = (tiers: readonly PriceTier[], capacity: number): PriceTier | undefined =>
  tiers.find(({ up_to }) => up_to === null || up_to >= capacity)

/**
 * A price per unit is paid for each. Of a tiered one the first tier counts that reaches the capacity: its flat amount is
 * the whole cost, and without one each unit costs its unit amount.
 */
export const computeCost = ({ billing_scheme, unit_amount, tiers }: Price, capacity: number): Cost => {
  const tier = billing_scheme === 'tiered' ? tierOf(tiers, capacity) : undefined
  if (typeof tier?.flat_amount === 'number') return { fees: tier.flat_amount, cost: tier.flat_amount }
  const fees = (billing_scheme === 'tiered' ? tier?.unit_amount : unit_amount) ?? 0
  return { fees, cost: fees * capacity }
}

/** The price that is asked for here, of those a product has. */
export const findPrice = (product: PricedProduct | undefined, currency = defaultCurrency): Price | undefined =>
  product?.prices.find((price) => price.currency === currency)

/** Whether a line's capacity blocks saving; a line that is not shown blocks nothing. */
const isInvalid = ({ visible, min, max }: SubscriptionLine, capacity: number): boolean =>
  visible && !(Number.isInteger(capacity) && capacity >= min && capacity <= max)

/** The line with another capacity: what it costs then, and whether that may be. */
export const withCapacity = (
  line: SubscriptionLine,
  capacity: number,
  product: PricedProduct | undefined,
): SubscriptionLine => {
  const price = findPrice(product)
  const counted = Number.isFinite(capacity) ? capacity : 0
  const { fees, cost } = price ? computeCost(price, counted) : { fees: 0, cost: 0 }
  const currency = price?.currency ?? defaultCurrency
  const feesLabel = price ? `${moneyText(fees, currency)} ${perUnit(product?.unit_label ?? null)}` : ''
  const dirty = line.dirty || capacity !== line.capacity
  return { ...line, capacity, fees, feesLabel, cost, currency, dirty, invalid: isInvalid(line, capacity) }
}

export interface BoughtProduct {
  name: string
  quantity: number
}

export const boughtQuantity = (bought: readonly BoughtProduct[], category: BilledCategory): number =>
  bought.find(({ name }) => name === subscriptionLines[category].name)?.quantity ?? 0

/**
 * The lines as they are shown first, with what the account has. A line is seen while it has something; that of the calls
 * is always seen, so that who has nothing can still choose.
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

/** What all that is shown costs a month. */
export const sumLines = (lines: readonly SubscriptionLine[]): number =>
  lines.filter(({ visible }) => visible).reduce((sum, { cost }) => sum + cost, 0)

/** On the subscription screens: so many devices may register. */
export const computeDevices = (ratio: number, calls: number, devices: number): number => ratio * (calls + devices)

/** In the texts of the account screen, which count additional devices one by one. */
export const planNumbers = (ratio: number, bought: readonly BoughtProduct[]): { calls: number; devices: number } => {
  const calls = boughtQuantity(bought, 'voice_call_session')
  return { calls, devices: ratio * calls + boughtQuantity(bought, 'device') }
}
