import { expect, test } from 'vitest'
import { describeChange } from './change-labels.ts'

test.each([
  ['no_failure_known', 'failing', null, 'An OPTIONS ping failed'],
  [null, 'failing', null, 'An OPTIONS ping failed, before the first check'],
  ['failing', 'no_failure_known', null, 'Recovered: no OPTIONS ping has failed lately'],
  ['not_monitored', 'no_failure_known', null, 'Pings enabled'],
  ['failing', 'not_monitored', null, 'Pings disabled'],
  ['registered', 'registration_failing', '403 Forbidden', 'Registration failed: 403 Forbidden'],
  ['registered', 'registration_failing', null, 'Registration failed'],
  ['registered', 'registration_expired', null, 'Registration expired'],
  ['registration_expired', 'registered', null, 'Registered'],
] as const)('from %s to %s (%s) is described as: %s', (from_state, to_state, reason, text) => {
  expect(describeChange({ from_state, to_state, reason })).toBe(text)
})
