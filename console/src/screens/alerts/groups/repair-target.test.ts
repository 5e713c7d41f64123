import { expect, test } from 'vitest'
import { findRepairTarget } from './repair-target.ts'

test.each([
  ['webhook-failure', 'url', 'applications'],
  ['no-tts', 'vendor', 'speech'],
  ['gateway-failing', 'carrier', 'carrier'],
  ['no-carrier', 'account', 'carriers'],
  ['account-call-limit', 'account', 'account'],
  ['service-provider-call-limit', 'service_provider', 'provider'],
  ['a-future-type', 'account', 'account'],
] as const)('the cause of %s about a %s is repaired at: %s', (alert_type, object_kind, target) => {
  expect(findRepairTarget(alert_type, { object_kind, object_id: null })).toBe(target)
})
