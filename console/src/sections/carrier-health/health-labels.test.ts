import type { CarrierHealthSummary } from '@patchbay/contract/carrier-health'
import { expect, test } from 'vitest'
import { describeHealth, formatCalls } from './health-labels.ts'

const since = '2026-11-25T11:00:00.000Z'
const health = (more: Partial<CarrierHealthSummary> = {}): CarrierHealthSummary => ({
  voip_carrier_sid: 'c',
  state: 'no_failure_known',
  registration: null,
  calls: null,
  gateway_count: 3,
  failing_count: 0,
  monitored_count: 2,
  ...more,
})
const registration = (
  state: 'failing' | 'stale' | 'registered' | 'unknown',
  reason: string | null = null,
  settled_at: string | null = null,
) => ({
  state,
  reason,
  reported_at: null,
  expires_at: null,
  settled_at,
})

test('calls are described by counts since the beginning of their window, never as a rounded share', () => {
  expect(formatCalls(null)).toBeUndefined()
  expect(formatCalls({ attempts: 0, answered: 0, since })).toBe('No calls since 11:00 UTC.')
  expect(formatCalls({ attempts: 1200, answered: 400, since })).toBe(
    '400 of 1,200 calls were answered since 11:00 UTC.',
  )
  expect(formatCalls({ attempts: 200, answered: 199, since })).toBe('199 of 200 calls were answered since 11:00 UTC.')
  expect(formatCalls({ attempts: 300, answered: 1, since })).toBe('1 of 300 calls were answered since 11:00 UTC.')
  expect(formatCalls({ attempts: 1, answered: 0, since })).toBe('0 of 1 call was answered since 11:00 UTC.')
})

test('the reasons for a state name the registration, the gateways, and the calls', () => {
  expect(describeHealth(health())).toBe('The SBCs ping 2 of 3 gateways.')
  expect(describeHealth(health({ state: 'partly_failing', failing_count: 1 }))).toBe(
    '1 of 3 gateways failed an OPTIONS ping.',
  )
  expect(describeHealth(health({ state: 'failing', registration: registration('failing', '403 Forbidden') }))).toBe(
    'The registration failed: 403 Forbidden. The SBCs ping 2 of 3 gateways.',
  )
  expect(describeHealth(health({ state: 'failing', registration: registration('stale'), gateway_count: 0 }))).toBe(
    'The registration has expired.',
  )
  expect(describeHealth(health({ state: 'not_monitored', monitored_count: 0 }))).toBe(
    'The SBCs send no OPTIONS pings to this carrier.',
  )
  expect(describeHealth(health({ registration: registration('unknown'), gateway_count: 0 }))).toBe(
    'No registration was reported.',
  )
  const settled = registration('registered', '423 Interval Too Brief', since)
  expect(describeHealth(health({ registration: settled, gateway_count: 0 }))).toBe(
    'The carrier refused a REGISTER with 423 Interval Too Brief, and accepted a later one.',
  )
  expect(describeHealth(health({ state: 'unknown' }))).toBe(
    'The result of OPTIONS pings is unknown, because Redis is not available.',
  )
})
