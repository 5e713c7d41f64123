import type { Alert } from '@patchbay/contract/alerts'
import { describe, expect, test } from 'vitest'
import { findAlertCall, findAlertLink, findAlertsLink } from './alert-links.ts'

const account_sid = '11111111-2222-4333-8444-555555555555'
const call_sid = '0a0a0a0a-0b0b-4c0c-8d0d-0e0e0e0e0e0e'

const alert = (more: Partial<Alert> = {}): Alert => ({
  time: '2026-11-03T10:15:30.123456789Z',
  account_sid,
  alert_type: 'no-tts',
  detail: null,
  message: 'no speech service',
  service_provider_sid: null,
  target_sid: null,
  vendor: null,
  ...more,
})

describe('the call of an alert', () => {
  test('is its target, if that is a SID of another record than the account', () => {
    expect(findAlertCall(alert({ target_sid: call_sid }))).toEqual({ account_sid, call_sid })
    for (const more of [
      {},
      { account_sid: null, target_sid: call_sid },
      { target_sid: 'x' },
      { target_sid: account_sid },
    ])
      expect(findAlertCall(alert(more))).toBeUndefined()
  })
})

describe('the link of an alert', () => {
  test('opens its call', () => {
    const path = `/internal/recent-calls/${account_sid}/${call_sid}`
    expect(findAlertLink(alert({ target_sid: call_sid, vendor: 'google' }))).toEqual({ label: 'Show call', path })
  })

  test('opens its carrier, unless its SID is none', () => {
    const path = `/internal/carriers/${call_sid}/edit?tab=health`
    expect(findAlertLink(alert({ voip_carrier_sid: call_sid }))).toEqual({ label: 'Show carrier', path })
    expect(findAlertLink(alert({ voip_carrier_sid: '../../settings' })).label).toBe('Show alert')
  })

  test('opens the list from the alert on, and encodes what the alert contains', () => {
    const { path } = findAlertLink(alert({ alert_type: 'odd|type>&x=1' }))
    expect(path).toBe(
      `/internal/alerts?account=${account_sid}&since=2026-11-03T10%3A15%3A30.123Z&type=odd%7Ctype%3E%26x%3D1`,
    )
    expect(findAlertLink(alert({ account_sid: null, time: 'never' })).path).toBe(
      '/internal/alerts?account=all&type=no-tts',
    )
  })
})

test('the link of several alerts opens the list from the oldest on', () => {
  const alerts = [alert(), alert({ time: '2026-11-03T09:00:00Z' })]
  const since = 'since=2026-11-03T09%3A00%3A00.000Z'
  expect(findAlertsLink(alerts).path).toBe(`/internal/alerts?account=${account_sid}&${since}`)
  expect(findAlertsLink([...alerts, alert({ account_sid: call_sid })]).path).toBe(
    `/internal/alerts?account=all&${since}`,
  )
  expect(findAlertsLink([]).path).toBe('/internal/alerts?account=all')
})
