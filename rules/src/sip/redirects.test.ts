import { describe, expect, test } from 'vitest'
import { toLadder } from './ladder.ts'
import { describeRedirect, findRedirect, nameUri } from './redirects.ts'
import { toSipCall } from './transactions.ts'

type Attempt = readonly [uri: string, contact: string, status?: string]

/** Describes the last of several INVITEs, each of which was redirected: its Request-URI, and the Contact of its response. */
const follow = (...attempts: readonly Attempt[]) => {
  const messages = attempts.flatMap(([uri, contact, status = '302 Moved Temporarily'], index) => {
    const headers = (toTag: string) => [
      `Via: SIP/2.0/UDP 203.0.113.7;branch=z9hG4bK${index}`,
      'From: <sip:1@a.example>;tag=a',
      `To: <sip:2@b.example>${toTag}`,
      'Call-ID: x',
      `CSeq: ${index + 1} INVITE`,
    ]
    const [caller, target] = ['203.0.113.7', '198.51.100.4']
    const base = { srcPort: 5060, dstPort: 5060, protocol: 17 }
    const response = [`SIP/2.0 ${status}`, ...headers(`;tag=b${index}`), ...(contact ? [`Contact: ${contact}`] : [])]
    return [
      {
        ...base,
        micro_ts: 1_700_000_000_000_000 + index * 1e6,
        srcIp: caller,
        dstIp: target,
        raw: [`INVITE ${uri} SIP/2.0`, ...headers(''), '', ''].join('\r\n'),
      },
      {
        ...base,
        micro_ts: 1_700_000_000_100_000 + index * 1e6,
        srcIp: target,
        dstIp: caller,
        raw: [...response, '', ''].join('\r\n'),
      },
    ]
  })
  const call = toSipCall(toLadder({ total: messages.length, data: { messages } }))
  const last = call.attempts.at(-1)
  if (last?.final === undefined) throw new Error('The last INVITE has no final response')
  return findRedirect(call, last, last.final)
}

const [one, two] = ['sip:15550100002@b.example', 'sip:15550100003@b.example']

describe('a redirection', () => {
  test('leads elsewhere if it names an address that was not called', () => {
    expect(follow([one, `"Sales, East" <${two};transport=tcp>;q=0.5, <sip:c.example>`])).toEqual({
      targets: ['15550100003@b.example', 'c.example'],
      leadsTo: 'elsewhere',
    })
  })

  test.each<[string, readonly Attempt[]]>([
    [
      'two addresses name each other',
      [
        [one, `<${two}>`],
        [two, `<${one}>`],
      ],
    ],
    [
      'it names the default port',
      [
        [one, `<${two}>`],
        [two, '<sip:15550100002@B.example:5060;transport=udp>'],
      ],
    ],
    [
      'it names only addresses before',
      [
        [one, `<${two}>`],
        [two, `<${one}>, <${two}>`, '300 Multiple Choices'],
      ],
    ],
  ])('leads in a circle if %s', (_name, attempts) => {
    expect(follow(...attempts)?.leadsTo).toBe('circle')
  })

  test('leads to the same address, once or repeatedly', () => {
    expect(follow([one, `<${one};user=phone>`])).toEqual({ targets: ['15550100002@b.example'], leadsTo: 'same' })
    expect(follow([one, `<${one}>`], [one, `<${one}>`])?.leadsTo).toBe('same')
  })

  test.each([
    ['another transport', `<${one};transport=tcp>`],
    ['another server', `<${one};maddr=198.51.100.9>`],
    ['another port', `<${one}:5080>`],
    ['TLS', `<${one.replace('sip:', 'sips:')}>`],
    ['the routing number of a ported number', '<sip:15550100002;rn=15550199999;npdi@b.example>'],
    ['a further address', `<${one}>, <${two}>`],
  ])('leads elsewhere if it names the same number with %s', (_name, contact) => {
    expect(follow([one, contact])?.leadsTo).toBe('elsewhere')
  })

  test('leads elsewhere if the address before was refused instead of redirected', () => {
    expect(follow([one, '', '503 Service Unavailable'], [two, `<${one}>`])?.leadsTo).toBe('elsewhere')
  })

  test.each([
    ['names nothing', '', '302 Moved Temporarily'],
    ['names a proxy', `<${one}>`, '305 Use Proxy'],
    ['is a refusal', `<${one}>`, '486 Busy Here'],
  ])('is not explained if the response %s', (_name, contact, status) => {
    expect(follow([one, contact, status])).toBeUndefined()
  })

  test('is explained for the party that was called', () => {
    const describeTo = (leadsTo: 'elsewhere' | 'same' | 'circle', kind: 'carrier' | 'client') =>
      describeRedirect({ targets: ['1@a.example', '2@a.example'], leadsTo }, kind)
    expect(describeTo('elsewhere', 'carrier')).toEqual({
      details: ' Its Contact header names 1@a.example, 2@a.example.',
    })
    expect(describeTo('circle', 'carrier').advice).toContain('send the Call-ID and the time to the carrier')
    expect(describeTo('same', 'client').advice).not.toContain('the carrier')
    expect(describeTo('same', 'client').title).toBe('The call was redirected to the address that had been called')
  })
})

test.each([
  ['sip:1@a.example', '1@a.example'],
  ['SIPS:1:secret@a.example:5061;transport=tls?Subject=x', '1@a.example:5061'],
  ['tel:+15550100002;phone-context=a.example', '+15550100002'],
  ['sip:1;rn=2@[2001:db8::1]:5060', '1@[2001:db8::1]:5060'],
  ['sip:a.example;lr', 'a.example'],
])('the name of %s has no password and no parameters', (uri, name) => {
  expect(nameUri(uri)).toBe(name)
})
