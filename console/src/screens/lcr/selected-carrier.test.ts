import type { CarrierHealthSummary } from '@patchbay/contract/carrier-health'
import { expect, test } from 'vitest'
import { judgeSelection } from './selected-carrier.ts'

const carrier = { is_active: 1 as const, requires_register: 0 as const, register_status: {} }
const healthy: CarrierHealthSummary = {
  voip_carrier_sid: 'sid',
  state: 'no_failure_known',
  registration: null,
  calls: null,
  gateway_count: 2,
  failing_count: 0,
  monitored_count: 2,
}
const since = '2026-03-01T14:00:00.000Z'
const tried = (attempts: number, answered: number) => ({ ...healthy, calls: { attempts, answered, since } })
const registering = { ...carrier, requires_register: 1 as const }

test.each([
  ['whose gateways are pinged', {}, 'good', 'is selected.'],
  ['that is chosen by chance, or for an inactive account', { isUncertain: true }, 'unknown', 'is selected.'],
  ['that answered none of many calls', { health: tried(10, 0) }, 'unknown', 'is selected.'],
  ['that answered one of many calls', { health: tried(40, 1) }, 'good', 'is selected.'],
  ['that was hardly tried', { health: tried(9, 0) }, 'good', 'is selected.'],
  [
    'that the SBCs do not ping',
    { health: { ...healthy, state: 'not_monitored', monitored_count: 0 } },
    'unknown',
    'is selected.',
  ],
  ['of an API server of jambonz', { health: undefined }, 'unknown', 'is selected.'],
  [
    'without active gateways',
    { activeGateways: 0 },
    'bad',
    'is selected, but has no active outbound gateway, so the call fails.',
  ],
  ['that is inactive', { carrier: { ...carrier, is_active: 0 } }, 'bad', 'is selected, but calls may not reach it.'],
  [
    'that fails',
    { health: { ...healthy, state: 'failing', failing_count: 2 } },
    'bad',
    'is selected, but calls may not reach it.',
  ],
  [
    'that fails in part',
    { health: { ...healthy, state: 'partly_failing', failing_count: 1 } },
    'bad',
    'is selected, but calls may not reach it.',
  ],
  [
    'that is not registered, as far as jambonz reports it',
    { health: undefined, carrier: { ...registering, register_status: { status: 'fail', reason: '403 Forbidden' } } },
    'bad',
    'is selected, but calls may not reach it.',
  ],
] as const)('a carrier %s', (_what, more, outcome, text) => {
  const selection = judgeSelection({ carrier, activeGateways: 1, isUncertain: false, health: healthy, ...more })
  expect([selection.outcome, selection.text]).toEqual([outcome, text])
})

const times = { reported_at: null, expires_at: null, settled_at: null }

test('names the state of the registration and the gateways', () => {
  const registration = { state: 'failing', reason: '403 Forbidden', ...times } as const
  const failing = { ...healthy, state: 'failing', registration, failing_count: 1 } as const
  expect(
    judgeSelection({ carrier: registering, activeGateways: 1, isUncertain: false, health: failing }).reasons,
  ).toEqual(['The registration failed: 403 Forbidden. 1 of 2 gateways failed an OPTIONS ping.'])
  const refused = { ...registering, register_status: { status: 'fail', reason: '403 Forbidden' } }
  expect(
    judgeSelection({ carrier: refused, activeGateways: 1, isUncertain: false, health: undefined }).reasons,
  ).toEqual(['The registration failed: 403 Forbidden.'])
  expect(judgeSelection({ carrier: registering, activeGateways: 1, isUncertain: false, health: undefined })).toEqual({
    outcome: 'unknown',
    text: 'is selected.',
    reasons: ['No registration was reported.'],
  })
  const expired = { status: 'ok', timestamp: '2020-01-01T00:00:00Z', expires: 3600 }
  const stale = { ...registering, register_status: expired }
  expect(judgeSelection({ carrier: stale, activeGateways: 1, isUncertain: false, health: undefined })).toEqual({
    outcome: 'bad',
    text: 'is selected, but calls may not reach it.',
    reasons: ['The registration has expired.'],
  })
})
