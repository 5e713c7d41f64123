import { expect, test } from 'vitest'
import {
  computeCost,
  computeDevices,
  formatMoney,
  formatPerUnit,
  formatPlanCapacity,
  freePlanCapacity,
  type Price,
  type PricedProduct,
  planCapacity,
  starterPlans,
  subscriptionLines,
  sumLines,
  toSubscriptionLines,
  withCapacity,
} from './pricing.ts'

const price = (more: Partial<Price> = {}): Price => ({
  stripe_price_id: 'price_1',
  currency: 'usd',
  billing_scheme: 'per_unit',
  unit_amount: 1050,
  tiers: [],
  ...more,
})

const product = (category: PricedProduct['category'], ...prices: Price[]): PricedProduct => ({
  category,
  product_sid: category,
  unit_label: 'per session',
  prices,
})

const sessions = product('voice_call_session', price())
const devices = product('device', price({ unit_amount: 200 }))
const { voice_call_session, device } = subscriptionLines

test('BILLING-04 BILLING-05 BILLING-35 has a line for calls and one for devices', () => {
  const common = { fees: 0, feesLabel: '', cost: 0, capacity: 0, currency: 'usd', invalid: false, dirty: false }
  expect(voice_call_session).toEqual({
    ...common,
    category: 'voice_call_session',
    name: 'concurrent call session',
    service: 'Maximum concurrent call sessions',
    min: 5,
    max: 1000,
    visible: true,
    required: true,
  })
  expect(device).toEqual({
    ...common,
    category: 'device',
    name: 'registered device',
    service: 'Additional device registrations',
    min: 0,
    max: 200,
    visible: false,
    required: false,
  })
})

test('BILLING-07 rejects a capacity out of range on a visible line', () => {
  const isInvalid = (capacity: number) => withCapacity(voice_call_session, capacity, sessions).invalid
  expect([4, 5, 1000, 1001, 5.5, Number.NaN].map(isInvalid)).toEqual([true, false, false, true, true, true])
  const seen = { ...device, visible: true }
  expect([-1, 0, 200, 201].map((capacity) => withCapacity(seen, capacity, devices).invalid)).toEqual([
    true,
    false,
    false,
    true,
  ])
  expect(withCapacity(device, 201, devices).invalid).toBe(false)
})

test('BILLING-09 (deviation) counts ratio × calls + devices, not ratio × (calls + devices), as the platform does', () => {
  expect(computeDevices(5, 11, 5)).toBe(60)
  expect([computeDevices(5, 10, 0), computeDevices(5, 10, 3), computeDevices(0, 10, 3)]).toEqual([50, 53, 3])
})

test('BILLING-10 COMMON-48 formats cents as money with a currency symbol', () => {
  expect([
    formatMoney(1250),
    formatMoney(5),
    formatMoney(-300),
    formatMoney(100, 'eur'),
    formatMoney(100, 'sek'),
  ]).toEqual(['$12.50', '$0.05', '-$3.00', '€1.00', 'SEK 1.00'])
})

test('formats amounts of currencies without hundredths', () => {
  expect([
    formatMoney(1250, 'jpy'),
    formatMoney(50_000, 'KRW'),
    formatMoney(-1250, 'bhd'),
    formatMoney(1250, 'isk'),
  ]).toEqual(['¥1250', 'KRW 50000', '-BHD 1.250', 'ISK 12.50'])
})

test('BILLING-11 formats the price per unit, with or without "per" in the unit label', () => {
  expect(['session', 'per session', 'Per  device', null].map(formatPerUnit)).toEqual([
    'per session',
    'per session',
    'per device',
    'per unit',
  ])
  expect(withCapacity(voice_call_session, 5, sessions).feesLabel).toBe('$10.50 per session')
})

test('BILLING-12 multiplies the unit price by the capacity', () => {
  expect(computeCost(price(), 8)).toEqual({ fees: 1050, cost: 8400 })
})

test('BILLING-13 applies the first tier that covers the capacity, with its flat amount as the total', () => {
  const tiered = price({
    billing_scheme: 'tiered',
    unit_amount: null,
    tiers: [
      { up_to: 10, flat_amount: 5000, unit_amount: 700 },
      { up_to: 50, flat_amount: null, unit_amount: 400 },
      { up_to: null, flat_amount: null, unit_amount: 300 },
    ],
  })
  expect([10, 11, 50, 51].map((capacity) => computeCost(tiered, capacity))).toEqual([
    { fees: 5000, cost: 5000 },
    { fees: 400, cost: 4400 },
    { fees: 400, cost: 20_000 },
    { fees: 300, cost: 15_300 },
  ])
  const withoutFlatAmount = price({
    billing_scheme: 'tiered',
    tiers: [{ up_to: null, flat_amount: 0, unit_amount: 9 }],
  })
  expect(computeCost(withoutFlatAmount, 7)).toEqual({ fees: 9, cost: 63 })
})

test('BILLING-07 BILLING-13 rejects a capacity above the last tier, which has no price', () => {
  const tiers = [
    { up_to: 10, flat_amount: 5000, unit_amount: null },
    { up_to: 50, flat_amount: null, unit_amount: 400 },
  ]
  const limited = product('voice_call_session', price({ billing_scheme: 'tiered', unit_amount: null, tiers }))
  expect(withCapacity(voice_call_session, 50, limited)).toMatchObject({ cost: 20_000, max: 50, invalid: false })
  expect(withCapacity(voice_call_session, 51, limited)).toMatchObject({ max: 50, invalid: true })
  const unlimited = product('voice_call_session', price({ tiers, billing_scheme: 'per_unit' }))
  expect(withCapacity(voice_call_session, 51, unlimited)).toMatchObject({ max: 1000, invalid: false })
})

test('BILLING-14 grants one call and one device on the free plan', () => {
  expect(starterPlans.free).toEqual({ voice_call_session: 1, device: 1 })
  expect(formatPlanCapacity(freePlanCapacity)).toBe('1 simultaneous call and 1 registered device')
})

test("starts lines with the account's capacities and sums up the visible lines", () => {
  const bought = [
    { name: 'concurrent call session', quantity: 6 },
    { name: 'registered device', quantity: 2 },
  ]
  const lines = toSubscriptionLines(bought, [sessions, devices])
  expect(lines).toMatchObject([
    { capacity: 6, cost: 6300, visible: true, dirty: false },
    { capacity: 2, cost: 400, visible: true, dirty: false },
  ])
  expect(sumLines(lines)).toBe(6700)
  expect(toSubscriptionLines([], [sessions, devices])).toMatchObject([{ visible: true }, { visible: false }])
  expect(withCapacity(voice_call_session, 6, undefined)).toMatchObject({ cost: 0, feesLabel: '', dirty: true })
})

test('ACCOUNTS-37 counts additional devices one by one on the account screen', () => {
  const bought = [
    { name: 'concurrent call session', quantity: 5 },
    { name: 'registered device', quantity: 3 },
  ]
  expect(planCapacity(5, bought)).toEqual({ calls: 5, devices: 28 })
  expect(planCapacity(5, [])).toEqual({ calls: 0, devices: 0 })
})
