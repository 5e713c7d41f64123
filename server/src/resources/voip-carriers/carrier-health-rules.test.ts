import { describe, expect, test } from 'vitest'
import { type Failures, type GatewayRow, judgeCarrier, judgeGateway } from './carrier-health-rules.ts'

const now = Date.parse('2026-11-25T12:00:00Z')
const at = (text: string) => new Date(`2026-11-25T${text}Z`).toISOString()
const row: GatewayRow = {
  sip_gateway_sid: 'g',
  voip_carrier_sid: 'c',
  ipv4: '192.0.2.1',
  port: 5060,
  outbound: 1,
  is_active: 1,
  send_options_ping: 1,
}
const judge = (more: Partial<GatewayRow> = {}, failures: Failures = new Map(), isCarrierActive = true) =>
  judgeGateway({ ...row, ...more }, { isCarrierActive, failures, pingTtlMs: 300_000, now })

describe('a gateway', () => {
  test('without a stored failure has no known failure, not a proven connection', () => {
    expect(judge()).toMatchObject({ state: 'no_failure_known', failing_since: null })
  })

  test.each([{ outbound: 0 }, { is_active: 0 }, { send_options_ping: 0 }] as const)(
    'is not monitored with %o, or if its carrier is inactive',
    (more) => {
      expect(judge(more).state).toBe('not_monitored')
      expect(judge(more, null).state).toBe('not_monitored')
      expect(judge({}, new Map(), false).state).toBe('not_monitored')
    },
  )

  test('is unknown without Redis', () => {
    expect(judge({}, null).state).toBe('unknown')
  })

  test('fails since the time that the remaining lifetime of the failure implies', () => {
    expect(judge({}, new Map([['g', 240_000]]))).toMatchObject({ state: 'failing', failing_since: at('11:59:00') })
  })

  test('fails since an unknown time if the lifetime exceeds the configured one, or never ends', () => {
    for (const remaining of [600_000, -1])
      expect(judge({}, new Map([['g', remaining]]))).toMatchObject({ state: 'failing', failing_since: null })
  })

  test('still fails while the failure is stored, even if pings have been disabled', () => {
    expect(judge({ send_options_ping: 0 }, new Map([['g', 1_000]])).state).toBe('failing')
  })
})

describe('a carrier', () => {
  const gateways = (...states: Parameters<typeof judgeCarrier>[0][number]['state'][]) =>
    states.map((state) => ({ state }))
  const registration = (state: 'registered' | 'failing' | 'stale' | 'unknown') => ({
    state,
    reason: null,
    reported_at: null,
    expires_at: null,
    settled_at: null,
  })

  test('fails if all its gateways fail, or its registration is failing or stale', () => {
    expect(judgeCarrier(gateways('failing', 'failing'), null)).toBe('failing')
    expect(judgeCarrier(gateways('no_failure_known'), registration('failing'))).toBe('failing')
    expect(judgeCarrier(gateways('no_failure_known'), registration('stale'))).toBe('failing')
  })

  test('fails partly if another gateway may work', () => {
    expect(judgeCarrier(gateways('failing', 'no_failure_known'), null)).toBe('partly_failing')
    expect(judgeCarrier(gateways('failing', 'not_monitored'), registration('registered'))).toBe('partly_failing')
  })

  test('has no known failure if something is monitored and nothing fails', () => {
    expect(judgeCarrier(gateways('no_failure_known', 'not_monitored'), null)).toBe('no_failure_known')
    expect(judgeCarrier([], registration('registered'))).toBe('no_failure_known')
  })

  test('is not monitored, or unknown', () => {
    expect(judgeCarrier([], null)).toBe('not_monitored')
    expect(judgeCarrier(gateways('not_monitored'), null)).toBe('not_monitored')
    expect(judgeCarrier(gateways('unknown', 'not_monitored'), null)).toBe('unknown')
    expect(judgeCarrier(gateways('unknown'), registration('registered'))).toBe('unknown')
    expect(judgeCarrier(gateways('not_monitored'), registration('unknown'))).toBe('unknown')
  })
})
