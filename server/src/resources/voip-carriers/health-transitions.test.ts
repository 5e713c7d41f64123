import { expect, test } from 'vitest'
import {
  formatHealthAlert,
  getAlertType,
  isAlertDue,
  minAlertGapMs,
  toWatchedGatewayState,
  toWatchedRegistrationState,
} from './health-transitions.ts'

test('an unknown state is not compared', () => {
  expect(toWatchedGatewayState('unknown')).toBeUndefined()
  expect(toWatchedGatewayState('not_monitored')).toBe('not_monitored')
  expect(toWatchedRegistrationState('unknown')).toBeUndefined()
  expect(toWatchedRegistrationState('stale')).toBe('registration_expired')
})

test.each([
  ['no_failure_known', 'failing', 'gateway-failing'],
  ['failing', 'no_failure_known', 'gateway-recovered'],
  ['registered', 'registration_failing', 'registration-lost'],
  ['registered', 'registration_expired', 'registration-lost'],
  ['registration_failing', 'registered', 'registration-recovered'],
  ['registration_expired', 'registered', 'registration-recovered'],
  [null, 'failing', undefined],
  ['not_monitored', 'failing', undefined],
  ['failing', 'not_monitored', undefined],
  ['registration_failing', 'registration_expired', undefined],
] as const)('from %s to %s raises: %s', (from, to, type) => {
  expect(getAlertType(from, to)).toBe(type)
})

test('alerts of a direction are ten minutes apart, also after the clock was set back', () => {
  const now = 1_000_000_000
  expect(isAlertDue(0, now)).toBe(true)
  expect(isAlertDue(now - minAlertGapMs + 1, now)).toBe(false)
  expect(isAlertDue(now - minAlertGapMs, now)).toBe(true)
  expect(isAlertDue(now + 1, now)).toBe(true)
})

test('messages name the carrier, the gateway, and the response', () => {
  const watched = { carrierName: 'North', address: '192.0.2.1:5060', to: 'failing', reason: null } as const
  expect(formatHealthAlert('gateway-failing', watched)).toBe(
    'SIP gateway 192.0.2.1:5060 of carrier North failed an OPTIONS ping. The SBCs skip it for outbound calls.',
  )
  expect(formatHealthAlert('gateway-recovered', watched)).toContain('192.0.2.1:5060 of carrier North recovered')
  const failed = { ...watched, to: 'registration_failing', reason: '403 Forbidden' } as const
  expect(formatHealthAlert('registration-lost', failed)).toBe(
    'The registration with carrier North failed: 403 Forbidden',
  )
  expect(formatHealthAlert('registration-lost', { ...failed, reason: null })).toBe(
    'The registration with carrier North failed.',
  )
  expect(formatHealthAlert('registration-lost', { ...failed, to: 'registration_expired' })).toContain('expired')
  expect(formatHealthAlert('registration-recovered', watched)).toContain('succeeded again')
})
