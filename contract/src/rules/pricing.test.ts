import { expect, test } from 'vitest'
import {
  costOf,
  currencySymbol,
  defaultCurrency,
  devicesOf,
  linesOf,
  moneyText,
  perUnit,
  planNumbers,
  type Price,
  type PricedProduct,
  starterPlans,
  subscriptionLines,
  totalOf,
  withCapacity,
} from './pricing.ts'

const flat: Price = {
  stripe_price_id: 'price_1',
  currency: 'usd',
  billing_scheme: 'per_unit',
  unit_amount: 1010,
  tiers: [],
}

const product = (category: PricedProduct['category'], price: Partial<Price> = {}): PricedProduct => ({
  category,
  product_sid: 'p',
  unit_label: 'per session',
  prices: [
    { ...flat, currency: 'eur', unit_amount: 1 },
    { ...flat, ...price },
  ],
})

const offers = [product('voice_call_session'), product('device', { unit_amount: 250 })]

test('BILLING-04 BILLING-05 the two lines have their names, labels and bounds, and the second is hidden', () => {
  expect(subscriptionLines.voice_call_session).toMatchObject({
    name: 'concurrent call session',
    service: 'Maximum concurrent call sessions',
    min: 5,
    max: 1000,
    visible: true,
    required: true,
  })
  expect(subscriptionLines.device).toMatchObject({
    name: 'registered device',
    service: 'Additional device registrations',
    min: 0,
    max: 200,
    visible: false,
  })
})

test('BILLING-35 a line has all that a row of the screen shows and checks', () => {
  const [line] = linesOf([{ name: 'concurrent call session', quantity: 7 }], offers)
  expect(line).toEqual({
    category: 'voice_call_session',
    name: 'concurrent call session',
    service: 'Maximum concurrent call sessions',
    fees: 1010,
    feesLabel: '$10.10 per session',
    cost: 7070,
    capacity: 7,
    currency: 'usd',
    min: 5,
    max: 1000,
    visible: true,
    required: true,
    invalid: false,
    dirty: false,
  })
})

test('a line is seen while something is held of it; that of the calls always is', () => {
  const visible = (held: Parameters<typeof linesOf>[0]) => linesOf(held, offers).map((line) => line.visible)
  expect(visible([])).toEqual([true, false])
  expect(visible([{ name: 'registered device', quantity: 1 }])).toEqual([true, true])
})

test.each([
  ['voice_call_session', 4, true],
  ['voice_call_session', 5, false],
  ['voice_call_session', 1000, false],
  ['voice_call_session', 1001, true],
  ['voice_call_session', 5.5, true],
  ['voice_call_session', Number.NaN, true],
  ['device', -1, true],
  ['device', 0, false],
  ['device', 200, false],
  ['device', 201, true],
] as const)('BILLING-07 %s: a capacity of %d is refused: %s', (category, capacity, invalid) => {
  const line = { ...subscriptionLines[category], visible: true }
  expect(withCapacity(line, capacity, offers[0])).toMatchObject({
    invalid,
    dirty: category !== 'device' || capacity !== 0,
  })
  expect(withCapacity({ ...line, visible: false }, capacity, offers[0]).invalid).toBe(false)
})

test('BILLING-09 devices are counted by the calls and devices that are subscribed to', () => {
  expect(devicesOf(5, 10, 4)).toBe(70)
  // The account's own screen counts them otherwise (ACCOUNTS-37).
  const held = [
    { name: 'concurrent call session', quantity: 10 },
    { name: 'registered device', quantity: 4 },
  ]
  expect(planNumbers(5, held)).toEqual({ calls: 10, devices: 54 })
})

test('BILLING-10 COMMON-48 amounts are in cents, shown by the hundred with the symbol of their currency', () => {
  expect(defaultCurrency).toBe('usd')
  expect(currencySymbol('usd')).toBe('$')
  expect(moneyText(5000)).toBe('$50.00')
  expect(moneyText(5)).toBe('$0.05')
  expect(moneyText(-1250)).toBe('-$12.50')
  expect(moneyText(100, 'chf')).toBe('CHF 1.00')
  // Not as 0.1 + 0.2 is.
  expect(moneyText(costOf({ ...flat, unit_amount: 1010 }, 3).cost)).toBe('$30.30')
})

test.each([
  ['session', 'per session'],
  ['per session', 'per session'],
  ['Per device', 'per device'],
  [null, 'per unit'],
])('BILLING-11 the label of %j is %j', (unit, label) => {
  expect(perUnit(unit)).toBe(label)
})

test('BILLING-12 a price per unit is paid for each', () => {
  expect(costOf(flat, 12)).toEqual({ fees: 1010, cost: 12_120 })
  expect(costOf({ ...flat, unit_amount: null }, 12)).toEqual({ fees: 0, cost: 0 })
})

const tiered: Price = {
  ...flat,
  billing_scheme: 'tiered',
  unit_amount: null,
  tiers: [
    { up_to: 10, flat_amount: 4000, unit_amount: 100 },
    { up_to: 20, flat_amount: 0, unit_amount: 500 },
    { up_to: null, flat_amount: null, unit_amount: 300 },
  ],
}

test.each([
  [5, 4000, 4000],
  [10, 4000, 4000],
  // 0 is an amount.
  [11, 0, 0],
  [21, 300, 6300],
])('BILLING-13 of tiers the first counts that reaches %d: %d each, %d in all', (capacity, fees, cost) => {
  expect(costOf(tiered, capacity)).toEqual({ fees, cost })
})

test('BILLING-14 the free plan has one call and one device', () => {
  expect(starterPlans.free).toEqual({ voice_call_session: 1, device: 1 })
})

test('only what shows is paid for', () => {
  const lines = linesOf([{ name: 'concurrent call session', quantity: 5 }], offers)
  const with99 = lines.map((line) => (line.category === 'device' ? { ...line, cost: 99 } : line))
  expect(totalOf(with99)).toBe(5050)
  expect(totalOf(with99.map((line) => ({ ...line, visible: true })))).toBe(5149)
})
