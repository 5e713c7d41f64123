import { analyzeChanged } from '@patchbay/testkit/calls/changed-flow'
import { describe, expect, test } from 'vitest'

/** Look-alikes of the flows with private addresses, in which the messages prove less. */

type Replacement = readonly [from: RegExp, to: string]

const analyze = (name: string, rule: string, ...replacements: readonly Replacement[]): string[] =>
  analyzeChanged(name, rule, (message) => ({
    ...message,
    text: replacements.reduce((changed, [from, to]) => changed.replace(from, to), message.text),
  }))

describe('an answer with a private Contact and no ACK', () => {
  const name = 'faulty/ack-of-private-contact'
  const isBlamed = expect.stringContaining('which names 10.0.0.5 as its Contact: a private address')
  const isUnknown = expect.stringContaining('never acknowledged the answer')

  test('is the reason if the caller had called a public address', () => {
    expect(analyze(name, 'noAck')).toEqual([isBlamed])
    expect(analyze(name, 'noAck', [/^INVITE sip:\S+/, 'INVITE sip:2@sbc.example'])).toEqual([isBlamed])
  })

  test.each<[string, Replacement]>([
    ['the caller had called the private address', [/^INVITE sip:\S+/, 'INVITE sip:2@10.0.0.5']],
    ['the Contact is public', [/^Contact: <sip:10\.0\.0\.5:5060>/m, 'Contact: <sip:198.51.100.10:5060>']],
    ['the Contact is a name', [/^Contact: <sip:10\.0\.0\.5:5060>/m, 'Contact: <sip:sbc.example>']],
    ['a proxy asked for the ACK', [/^Server: /m, 'Record-Route: <sip:198.51.100.11;lr>\r\nServer: ']],
  ])('is not the reason if %s', (_what, replacement) => {
    expect(analyze(name, 'noAck', replacement)).toEqual([isUnknown])
  })
})

describe('an ACK that was sent elsewhere', () => {
  const name = 'faulty/ack-to-private-contact'

  test('was not received there if the host is not on the path of the INVITE', () => {
    expect(analyze(name, 'noAck')).toEqual([
      'bad: The ACK did not reach the called party (203.0.113.7:5060) (200 OK, sent 11 times): it was sent to 192.168.7.4:5060, which the answer names as its Contact, a private address. It hung up for this reason after 32.10 s.',
    ])
  })

  test('has no known reason if the answer names another host', () => {
    expect(analyze(name, 'noAck', [/@192\.168\.7\.4:5060>/, '@203.0.113.7:5060>'])).toEqual([
      'bad: The ACK was sent to 192.168.7.4:5060, and did not reach the called party (203.0.113.7:5060) (200 OK, sent 11 times). It hung up for this reason after 32.10 s.',
    ])
  })
})

test('a BYE to a private Contact that was answered reached it', () => {
  expect(analyze('faulty/bye-to-private-contact', 'privateContact')).toEqual([
    'warn: The called party (203.0.113.7:5060) is behind a NAT and advertises 192.168.7.4, a private address. The BYE that was sent to it got no response.',
  ])
  expect(
    analyze('faulty/bye-to-private-contact', 'privateContact', [/@192\.168\.7\.4:5060>/, '@203.0.113.7:5060>']),
  ).toEqual([])
})

describe('a private address of audio behind a public Contact', () => {
  const name = 'faulty/media-private-offer-of-platform'
  const count = (...replacements: Replacement[]) => analyze(name, 'privateMedia', ...replacements).length

  test('is reported', () => {
    expect(count()).toBe(1)
  })

  test.each<[string, Replacement]>([
    ['the Contact is private, too', [/^Contact: <sip:(\d+)@198\.51\.100\.10/m, 'Contact: <sip:$1@10.0.0.5']],
    [
      'the other side noticed the NAT',
      [/^Via: SIP\/2\.0\/UDP 198\.51\.100\.10:5060;/m, 'Via: SIP/2.0/UDP 10.0.0.5:5060;received=198.51.100.10;'],
    ],
    ['the host only sends', [/^a=sendrecv/m, 'a=sendonly']],
    ['ICE selects the addresses', [/^a=sendrecv/m, 'a=ice-ufrag:x\r\na=ice-pwd:y\r\na=sendrecv']],
    ['its statistics count received packets', [/^(CSeq: \d+ BYE)/m, '$1\r\nX-RTP-Stat: PS=9,PR=10']],
    ['the address is public', [/^c=IN IP4 10\.0\.0\.5/m, 'c=IN IP4 198.51.100.10']],
  ])('is not reported if %s', (_what, replacement) => {
    expect(count(replacement)).toBe(0)
  })

  test('is reported if the response repeats the public address of the Via header', () => {
    expect(count([/;branch=/, ';rport=5060;received=198.51.100.10;branch='])).toBe(1)
  })
})
