import { expect, test } from 'vitest'
import { type Plan, planText } from './plan-text.ts'

const products = [
  { name: 'concurrent call session', quantity: 5 },
  { name: 'registered device', quantity: 3 },
]

const plan = (more: Partial<Plan>): Plan => ({
  plan_type: 'trial',
  is_active: 1,
  trial_end_date: null,
  device_to_call_ratio: 5,
  subscription: { status: 'active', products },
  ...more,
})

test('ACCOUNTS-37 a trial says how many calls and devices it has: five for each call, and those that were added', () => {
  expect(planText(plan({}))).toContain('5 simultaneous calls and 28 registered devices')
  expect(planText(plan({ device_to_call_ratio: 2 }))).toContain('5 simultaneous calls and 13 registered devices')
})

test.each([
  [{}, /free plan, in your trial period/],
  [{ trial_end_date: '2026-12-05T12:00:00.000Z' }, /trial ends on Dec 05, 2026\./],
  [{ plan_type: 'paid' }, /^You are on the paid plan\. It includes 5 simultaneous calls and 28 registered devices\.$/],
  [
    { plan_type: 'paid', invoice: { total: 5050, currency: 'usd', next_payment_attempt: 1_767_614_400 } },
    /You will be billed \$50\.50 on Jan 05, 2026\.$/,
  ],
  [{ plan_type: 'paid', invoice: null }, /No further payment is due/],
  [{ plan_type: 'free' }, /trial is over.+free plan.+limited to 1 simultaneous call and 1 registered device\.$/],
  [{ plan_type: 'free', is_active: 0 as const }, /^Your trial has expired\. Upgrade/],
  [{ plan_type: 'paid', subscription: { status: 'suspended' as const, products } }, /last payment failed/],
])('ACCOUNTS-36 COMMON-55 the text of a subscription depends on the plan: %j', (more, text) => {
  expect(planText(plan(more))).toMatch(text)
})

test('BILLING-14 does not apply the device ratio to the products of the free plan', () => {
  const freeProducts = [
    { name: 'concurrent call session', quantity: 1 },
    { name: 'registered device', quantity: 1 },
  ]
  const free = plan({ plan_type: 'free', subscription: { status: 'active', products: freeProducts } })
  expect(free.device_to_call_ratio).toBe(5)
  expect(planText(free)).toContain('1 simultaneous call and 1 registered device.')
})
