import type { GatewayCheck } from '@patchbay/contract/carrier-connection-check'
import { connectionFailures } from '@patchbay/contract/shared/connection-check'
import { describe, expect, test } from 'vitest'
import { describeGateway, summarizeCheck } from './check-labels.ts'

const gateway: GatewayCheck = {
  sip_gateway_sid: 'g',
  ipv4: '203.0.113.1',
  port: 5060,
  transport: 'tcp',
  outbound: true,
  outbound_sip_proxy: null,
  source: 'literal',
  addresses: ['203.0.113.1:5060'],
  response: null,
  failure: null,
}
const response = { status: 200, reason: 'OK', address: '203.0.113.1:5060', round_trip_ms: 23.4 }

describe('the result of a gateway', () => {
  test('names status, address, and time of a response', () => {
    expect(describeGateway({ ...gateway, response })).toEqual({
      tone: 'good',
      label: 'Responds',
      explanation: 'Received 200 OK from 203.0.113.1:5060 in 23 ms.',
    })
    expect(describeGateway({ ...gateway, response: { ...response, round_trip_ms: 0.3 } }).explanation).toContain(
      'in less than 1 ms',
    )
  })

  test.each([
    [401, 'asks for credentials. Calls that send them can still work if OPTIONS pings are off'],
    [403, 'rejects requests from this server'],
    [404, 'does not know the address of this request. Calls can still work if OPTIONS pings are off'],
    [405, 'does not support OPTIONS. Calls can still work if OPTIONS pings are off'],
    [501, 'does not support OPTIONS'],
    [503, 'reports a failure'],
  ])('explains a response with %i', (status, part) => {
    const result = describeGateway({ ...gateway, response: { ...response, status, reason: '' } })
    expect(result).toMatchObject({ tone: 'warn', label: `Responds with ${status}` })
    expect(result.explanation).toContain(part)
  })

  test.each(connectionFailures)('has a label and a sentence for %s', (code) => {
    const { tone, label, explanation } = describeGateway({ ...gateway, failure: { code, detail: 'expired' } })
    expect([tone, label === '', explanation.endsWith('.')]).toEqual(['bad', false, true])
  })

  test('names port, protocol, and the reason of the certificate', () => {
    expect(describeGateway({ ...gateway, failure: { code: 'refused', detail: null } }).explanation).toContain(
      'TCP port 5060',
    )
    expect(
      describeGateway({ ...gateway, failure: { code: 'certificate_invalid', detail: 'certificate has expired' } })
        .explanation,
    ).toContain('certificate has expired')
  })

  test('warns about a silent inbound gateway, whose calls can still arrive', () => {
    const inbound = { ...gateway, outbound: false, failure: { code: 'timeout' as const, detail: null } }
    expect(describeGateway(inbound)).toMatchObject({ tone: 'warn', label: 'No response' })
    expect(describeGateway(inbound).explanation).toContain('can still arrive')
  })
})

test('the summary counts the gateways that could be checked', () => {
  const base = { checked_at: '', registration: null, calls: null, last_call_at: null }
  const failed = { ...gateway, failure: { code: 'timeout' as const, detail: null } }
  expect(summarizeCheck({ ...base, gateways: [{ ...gateway, response }, failed, gateway], gateway_count: 3 })).toBe(
    '1 of 2 gateways responded.',
  )
  expect(summarizeCheck({ ...base, gateways: [failed], gateway_count: 1200 })).toBe(
    '0 of 1 gateway responded. 1,199 more were not checked.',
  )
  expect(summarizeCheck({ ...base, gateways: [], gateway_count: 0 })).toBe('The carrier has no active SIP gateway.')
  expect(summarizeCheck({ ...base, gateways: [gateway], gateway_count: 1 })).toBe(
    'The carrier has no gateway to check.',
  )
})
