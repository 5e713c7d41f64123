import { describe, expect, test } from 'vitest'
import { toLadder } from '../ladder.ts'
import { findSipFindings } from './findings.ts'

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const sign = (attest: string): string =>
  `Identity: ${encode({ alg: 'ES256', ppt: 'shaken' })}.${encode({ attest, iat: 1_700_000_000 })}.x;info=<https://c.example>`

const message = (source: string, destination: string, start: string, ...headers: readonly string[]) => ({
  micro_ts: 1_700_000_000_000_000,
  srcIp: source,
  srcPort: 5060,
  dstIp: destination,
  dstPort: 5060,
  protocol: 17,
  raw: [
    start,
    'Via: SIP/2.0/UDP 10.0.0.5;branch=z9hG4bK1',
    'From: <sip:1@a.example>;tag=a',
    `To: <sip:2@b.example>${start.startsWith('INVITE') ? '' : ';tag=b'}`,
    'Call-ID: x',
    'CSeq: 1 INVITE',
    ...headers,
    '',
    '',
  ].join('\r\n'),
})

const find = (rule: string, ...messages: readonly ReturnType<typeof message>[]): string[] =>
  findSipFindings(toLadder({ total: messages.length, data: { messages } }))
    .filter((finding) => finding.rule === rule)
    .map(({ severity, text }) => `${severity}: ${text}`)

const invite = (...headers: readonly string[]) =>
  message('10.0.0.5', '10.0.0.9', 'INVITE sip:2@b.example SIP/2.0', ...headers)
const respond = (status: string) => message('10.0.0.9', '10.0.0.5', `SIP/2.0 ${status}`)

test('a signature that passes several hops is reported once', () => {
  const onward = message('10.0.0.9', '198.51.100.4', 'INVITE sip:2@b.example SIP/2.0', sign('A'))
  expect(find('callerIdentity', invite(sign('A')), onward)).toHaveLength(1)
  expect(find('callerIdentity', invite(sign('A'), sign('B')), onward)).toHaveLength(2)
})

describe('the attestation of a blocked call', () => {
  test.each([
    ['608 Rejected', sign('B'), 'claimed only attestation B'],
    ['603 Network Blocked', sign('C'), 'claimed only attestation C'],
    ['608 Rejected', 'X: y', 'No signature of the calling number was captured'],
  ])('is reported for %s with %s', (status, header, text) => {
    expect(find('blockedWithoutAttestation', invite(header), respond(status))).toEqual([
      expect.stringMatching(new RegExp(`^info: .*${text}`)),
    ])
  })

  test.each([
    ['608 Rejected', sign('A')],
    // The claims are in the header fields, or cannot be decoded.
    ['608 Rejected', 'Identity: ..x;info=<https://c.example>'],
    // A person decides without regard to the attestation, and this is no block.
    ['607 Unwanted', sign('C')],
    ['486 Busy Here', sign('C')],
  ])('is not reported for %s with %s', (status, header) => {
    expect(find('blockedWithoutAttestation', invite(header), respond(status))).toEqual([])
  })
})
