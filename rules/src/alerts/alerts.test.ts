import { expect, test } from 'vitest'
import { alertTypes, formatAlertType } from './alerts.ts'

test.each([
  ['no-llm', 'No language model'],
  ['llm-failure', 'Language model failed'],
  ['no-krisp', 'No noise cancellation'],
  ['error-updating-call', 'Call not updated'],
  ['wallet-low-balance', 'Balance low'],
  ['wallet-depleted', 'Balance used up'],
  ['wallet-recharge-failed', 'Balance not recharged'],
])('names the alert type %s of newer platforms "%s", and offers it as a filter', (type, label) => {
  expect(formatAlertType(type)).toBe(label)
  expect(alertTypes).toContain(type)
})

test.each(['quantum-flux', '__proto__', ''])('returns the unknown alert type %j unchanged', (type) => {
  expect(formatAlertType(type)).toBe(type)
  expect(alertTypes).not.toContain(type)
})
