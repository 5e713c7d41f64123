import type { AddressMasking, NumberMasking } from '@patchbay/contract/shared/call-report-choices'
import { readCallFlows } from '@patchbay/testkit/calls/call-flows'
import { array, assert, constantFrom, integer, property, record, shuffledSubarray, string, tuple } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseSip } from '../parser.ts'
import { createSipMasker } from './mask-message.ts'

const mask = (
  messages: readonly string[],
  { numbers = 'masked', addresses = 'private' }: { numbers?: NumberMasking; addresses?: AddressMasking } = {},
): string[] => {
  const { maskMessage } = createSipMasker({ numbers, addresses }, messages)
  return messages.map((message) => maskMessage(message))
}

const toMessage = (lines: readonly string[], body = ''): string =>
  `${[...lines, `Content-Length: ${Buffer.byteLength(body)}`].join('\r\n')}\r\n\r\n${body}`

const sdp = [
  'v=0',
  'o=alice 15083084809 1 IN IP4 10.0.0.5',
  's=Call of Alice',
  'e=alice@example.org',
  'p=+1 508-308-4809',
  'c=IN IP4 10.0.0.5',
  't=0 0',
  'm=audio 40000 RTP/SAVP 0 101',
  'a=rtpmap:0 PCMU/8000',
  'a=fmtp:101 0-16',
  'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:c2VjcmV0LWtleQ',
  'a=ice-pwd:a-password',
  'a=candidate:1 1 UDP 2130706431 10.0.0.5 40000 typ srflx raddr fd00::5 rport 9',
  'a=x-unknown:10.0.0.5',
  'a=sendrecv',
  '',
].join('\r\n')

const invite = toMessage(
  [
    'INVITE sip:+15083084809:pin@203.0.113.7:5060;user=phone;x-route=10.0.0.5?Subject=hi SIP/2.0',
    'Via: SIP/2.0/UDP 10.0.0.5:5060;branch=z9hG4bK1;rport=5060;received=10.0.0.6',
    'Max-Forwards: 70',
    'Record-Route: <sip:10.0.0.5;lr;ftag=a1>',
    'f: "Alice Example" <sip:15550100001@sbc.local>;tag=a1',
    'To: <tel:+1-508-308-4809;phone-context=+1>',
    'Call-ID: 4711@10.0.0.5:5060',
    'CSeq: 7 INVITE',
    'Contact: <sip:15550100001@[fd00::5]:5060;transport=udp>;expires=60',
    'Authorization: Digest username="15550100001", realm="sbc.local", nonce="n0nce", uri="sip:x", response="5ecret", algorithm=MD5, qop=auth',
    'P-Asserted-Identity: "Bob" <sip:bob@example.org>, <tel:15550100001>',
    'Identity: eyJhbGciOiJFUzI1NiJ9.eyJkZXN0IjoiMTU1NTAxMDAwMDEifQ.c2ln;info=<https://cert.example.org/a>;alg=ES256',
    'X-Token: s3cret',
    'User-Agent: FPBX-15.0.16.75(16.15.0)',
    'Content-Type: application/sdp',
  ],
  sdp,
)

const response = toMessage([
  'SIP/2.0 404 No route to 15083084809 over 10.0.0.5',
  'Via: SIP/2.0/UDP 10.0.0.5:5060;branch=z9hG4bK1',
  'From: <sip:15550100001@sbc.local>;tag=a1',
  'To: <tel:+1-508-308-4809>;tag=b1',
  'Call-ID: 4711@10.0.0.5:5060',
  'CSeq: 7 INVITE',
  'Reason: Q.850;cause=1;text="Unallocated 0015083084809"',
  'Warning: 399 10.0.0.5 "bob is away"',
  'WWW-Authenticate: Digest realm="sbc.local", nonce="n0nce", stale=true',
])

test('a masked message keeps what tells how the call went, and nothing else', () => {
  expect(mask([invite, response])).toEqual([
    toMessage(
      [
        'INVITE sip:plus-number-1@203.0.113.7:5060;user=phone SIP/2.0',
        'Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK1;rport=5060;received=192.0.2.2',
        'Max-Forwards: 70',
        'Record-Route: <sip:192.0.2.1;lr;ftag=a1>',
        'f: "Masked" <sip:number-2@host-1.invalid>;tag=a1',
        'To: <tel:plus-number-1;phone-context=plus-number-3>',
        'Call-ID: 4711@192.0.2.1:5060',
        'CSeq: 7 INVITE',
        'Contact: <sip:number-2@[2001:db8::1]:5060;transport=udp>;expires=60',
        'Authorization: Digest realm="host-1.invalid", algorithm=MD5, qop=auth, masked="credentials"',
        'P-Asserted-Identity: "Masked" <sip:user-1@example.org>, <tel:number-2>',
        'Identity: [left out]',
        'X-Token: [left out]',
        'User-Agent: FPBX-15.0.16.75(16.15.0)',
        'Content-Type: application/sdp',
      ],
      [
        'v=0',
        'o=- number-1 1 IN IP4 192.0.2.1',
        's=-',
        'c=IN IP4 192.0.2.1',
        't=0 0',
        'm=audio 40000 RTP/SAVP 0 101',
        'a=rtpmap:0 PCMU/8000',
        'a=fmtp:101 0-16',
        'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:masked',
        'a=ice-pwd:masked',
        'a=candidate:1 1 UDP 2130706431 192.0.2.1 40000 typ srflx raddr 2001:db8::1 rport 9',
        'a=sendrecv',
        '',
      ].join('\r\n'),
    ),
    toMessage([
      'SIP/2.0 404 No route to number-1 over 192.0.2.1',
      'Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK1',
      'From: <sip:number-2@host-1.invalid>;tag=a1',
      'To: <tel:plus-number-1>;tag=b1',
      'Call-ID: 4711@192.0.2.1:5060',
      'CSeq: 7 INVITE',
      'Reason: Q.850;cause=1;text="Unallocated number-1"',
      'Warning: 399 192.0.2.1 "bob is away"',
      'WWW-Authenticate: Digest realm="host-1.invalid", stale=true, masked="credentials"',
    ]),
  ])
})

test('numbers and addresses are shown if they are not masked, and credentials never are', () => {
  const [unmasked = ''] = mask([invite], { numbers: 'shown', addresses: 'shown' })
  for (const text of ['+15083084809@203.0.113.7', '"Alice Example" <sip:15550100001@sbc.local>', '[fd00::5]', 'c2ln'])
    expect(unmasked).toContain(text)
  for (const secret of ['n0nce', '5ecret', 's3cret', ':pin@', 'c2VjcmV0LWtleQ', 'a-password'])
    expect(unmasked).not.toContain(secret)
  const [last = ''] = mask([invite], { numbers: 'last_digits', addresses: 'all' })
  expect(last).toContain('sip:plus-number-1-4809@192.0.2.1:5060')
  expect(last).not.toMatch(/example\.org|203\.0\.113/)
})

test.each([
  ['JSON', 'application/json', '{"caller":"+1 (508) 308-4809"}'],
  ['a pressed digit', 'application/dtmf-relay', 'Signal=5\r\nDuration=160\r\n'],
  ['a text', 'text/plain', 'My PIN is 4711'],
  ['several bodies', 'multipart/mixed;boundary=x', '--x\r\n\r\n15083084809\r\n--x--'],
])('a body with %s is left out', (_what, type, body) => {
  const [masked = ''] = mask(
    [toMessage(['INFO sip:a@b.example SIP/2.0', 'CSeq: 1 INFO', `Content-Type: ${type}`], body)],
    { numbers: 'shown', addresses: 'shown' },
  )
  expect(masked).toMatch(/Content-Type: text\/plain\r\nContent-Length: 12\r\n\r\n\[left out\]\r\n$/)
})

test.each([
  ['no SIP', '\0\0 15083084809'],
  ['an unknown method line', 'hello 15083084809\r\nCSeq: 1 INVITE\r\n\r\n'],
  ['a head that is too long', toMessage(['BYE sip:a@b SIP/2.0', 'CSeq: 1 BYE', `X: ${'1'.repeat(40_000)}`])],
])('a packet with %s is left out', (_what, raw) => {
  expect(mask([raw], { numbers: 'shown', addresses: 'shown' })).toEqual([
    'This packet is not SIP. Its content is left out.',
  ])
})

test('a pseudonym is never an address of the call, and there are enough of them', () => {
  const via = (address: string) =>
    toMessage(['BYE sip:a@b.example SIP/2.0', `Via: SIP/2.0/UDP ${address}`, 'CSeq: 1 BYE'])
  const messages = ['192.0.2.1', ...Array.from({ length: 700 }, (_, at) => `10.0.${at >> 8}.${at & 255}`)].map(via)
  const masked = mask(messages)
  expect(masked[0]).toContain('Via: SIP/2.0/UDP 192.0.2.1\r\n')
  expect(new Set(masked).size).toBe(701)
  expect(masked.join('\n')).not.toContain('10.0.')
})

/** Secrets that a masked message must not contain. */
interface Secrets {
  number: string
  ipv4: string
  ipv6: string
  password: string
}

const digit = integer({ min: 0, max: 9 })
const secrets = record<Secrets>({
  number: tuple(constantFrom('1', '44', '49', '39'), array(digit, { minLength: 10, maxLength: 10 })).map(
    ([country, digits]) => `${country}${digits.join('')}`,
  ),
  ipv4: tuple(constantFrom('10.1', '172.20', '192.168', '100.64'), integer({ max: 255, min: 0 }), digit).map(
    ([net, third, fourth]) => `${net}.${third}.${fourth + 20}`,
  ),
  ipv6: integer({ min: 1, max: 0xffff }).map((part) => `fd12:3456::${part.toString(16)}`),
  password: string({ minLength: 12, maxLength: 20, unit: constantFrom(...'abcdefGHIJKLMNOP0123456789'.split('')) }).map(
    (text) => `pw${text}`,
  ),
})

const spell = (number: string): string[] => [
  number,
  `+${number}`,
  `%2B${number}`,
  `00${number}`,
  `0${number.slice(-10)}`,
  `+${number.slice(0, -10)} (${number.slice(-10, -7)}) ${number.slice(-7, -4)}-${number.slice(-4)}`,
  `${number.slice(-10, -7)}.${number.slice(-7, -4)}.${number.slice(-4)}`,
  number.replace(/\d/g, '%3$&'),
]

const placeSecrets = ({ number, ipv4, ipv6, password }: Secrets, spelled: string): string[] => [
  `From: "${spelled}" <sip:${number}@${ipv4}>;tag=${ipv4.replaceAll('.', '-')}`,
  `To: ${spelled} <tel:+${number}>;tag=x${number}x`,
  `Contact: <sip:${spelled}@[${ipv6}]:5060;alias=${ipv4}~5060~1>`,
  `P-Asserted-Identity: <sip:+${number};npdi;rn=${number}@${ipv4};user=phone>, "${spelled}" <tel:${number};ext=1>`,
  `Diversion: <sip:${spelled}@pbx.local>;reason=user-busy;privacy=off`,
  `Remote-Party-ID: "${spelled}"<sip:${number}@${ipv4}>;party=calling`,
  `History-Info: <sip:${number}@${ipv4}?Reason=SIP%3Bcause%3D302>;index=1`,
  `Refer-To: <sip:${spelled}@${ipv4}?Replaces=${password}>`,
  `Route: <sip:${password}:${password}@${ipv4};lr>`,
  `X-Caller: ${spelled}`,
  `X-Data: {"number":"${spelled}","token":"${password}","ip":"${ipv6}"}`,
  `Subject: Call of ${spelled} at ${ipv4}`,
  `User-Agent: pbx at ${ipv4} [${ipv6}] of ${number}`,
  `Reason: SIP;cause=200;text="${spelled} at ${ipv6}"`,
  `Warning: 399 ${ipv4} "${spelled} is busy at ${ipv4}"`,
  `Proxy-Authorization: Digest username="${number}", nonce="${password}", response="${password}", uri="sip:${ipv4}"`,
  `Authorization: Bearer ${password}`,
  `WWW-Authenticate: Digest realm="${ipv4}", nonce="${password}", opaque="${password}"`,
  `Identity: ${password}.${Buffer.from(spelled).toString('base64url')}.x;info=<https://${ipv4}/>`,
  `Call-Info: <http://${ipv4}/${spelled}?token=${password}>`,
  `Supported: ${number}, ${password}.${ipv4}`,
  `Event: dialog;id=${number}`,
  `Geolocation: <cid:${spelled}@${ipv4}>`,
  `Accept-Contact: *;${spelled}`,
  `${spelled}: ${spelled}`,
  `Retry-After: 60 (call ${spelled})`,
]

const placeInBody = ({ number, ipv4, ipv6, password }: Secrets, spelled: string) =>
  [
    'v=0',
    `o=${spelled} ${number} ${number} IN IP4 ${ipv4}`,
    `s=${spelled}`,
    `i=${spelled}`,
    `p=${spelled}`,
    `u=http://${ipv4}/${password}`,
    `c=IN IP6 ${ipv6}`,
    `k=clear:${password}`,
    't=0 0',
    'm=audio 40000 RTP/AVP 0',
    `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${password}|2^31`,
    `a=ice-pwd:${password}`,
    `a=ssrc:1 cname:${number}@${ipv4}`,
    `a=candidate:1 1 udp 1 ${ipv6} 4000 typ host generation 0 ufrag ${password}`,
    `a=candidate:1 1 udp 1 ${ipv4} 4000 typ srflx raddr ${ipv4} rport 1 ${password}`,
    `a=rtcp:4001 IN IP4 ${ipv4}`,
    `a=fmtp:101 x=${number}`,
    `a=${spelled}`,
    '',
  ].join('\r\n')

const expectNoSecret = (masked: string, { number, ipv4, ipv6, password }: Secrets) => {
  const text = masked.toLowerCase()
  for (const address of [ipv4, ipv4.replaceAll('.', '-'), ipv6]) expect(text).not.toContain(address)
  expect(text).not.toContain(password.toLowerCase())
  expect(text).not.toContain('%3')
  for (const line of text.split('\r\n')) expect(line.replace(/[ ().\-_/]/g, '')).not.toContain(number.slice(-7))
}

describe('no masked number, address, or credential is in a message', () => {
  const places = array(
    tuple(integer({ min: 0, max: 7 }), shuffledSubarray(Array.from({ length: 26 }, (_, at) => at))),
    {
      minLength: 1,
      maxLength: 4,
    },
  )

  test('wherever it is, and however it is written', () => {
    assert(
      property(secrets, places, constantFrom('masked', 'last_digits'), (one, messages, numbers) => {
        const raws = messages.map(([spelling, headers]) => {
          const spelled = spell(one.number)[spelling] ?? ''
          const all = placeSecrets(one, spelled)
          const chosen = headers.map((at) => all[at] ?? '')
          const start = [`INVITE sip:${spelled.replaceAll(' ', '')}@${one.ipv4} SIP/2.0`, 'CSeq: 1 INVITE']
          const body = placeInBody(one, spelled)
          return toMessage([...start, ...chosen, 'Content-Type: application/sdp'], body)
        })
        for (const masked of mask(raws, { numbers })) expectNoSecret(masked, one)
      }),
      { seed: 1, numRuns: 500 },
    )
  })

  test('in messages that were damaged on their way', () => {
    assert(
      property(
        secrets,
        integer({ min: 0, max: 7 }),
        array(integer({ min: 0, max: 3000 }), { maxLength: 6 }),
        (one, spelling, cuts) => {
          const spelled = spell(one.number)[spelling] ?? ''
          const start = [`INVITE sip:+${one.number}@${one.ipv4} SIP/2.0`, 'CSeq: 1 INVITE']
          const head = [...start, ...placeSecrets(one, spelled), 'Content-Type: application/sdp']
          const complete = toMessage(head, placeInBody(one, spelled))
          // Structure characters disappear, never the digits of a secret.
          const damaged = cuts.reduce((text, at) => {
            const position = text.slice(at).search(/[<>";,=\r\n:[\]@]/) + at
            return position < at ? text : text.slice(0, position) + text.slice(position + 1)
          }, complete)
          const [masked = ''] = mask([damaged, complete])
          expectNoSecret(masked, one)
        },
      ),
      { seed: 1, numRuns: 500 },
    )
  })
})

describe('the messages of the corpus of call flows', () => {
  const flows = readCallFlows()

  test('are SIP with the same methods, statuses, and sequence numbers', () => {
    for (const { messages } of flows) {
      const raws = messages.map(({ text }) => text)
      const summarize = (all: readonly string[]) =>
        all.map((text) => {
          const parsed = parseSip(text)
          return parsed && [parsed.method, parsed.status, parsed.number, parsed.fromTag, parsed.toTag, parsed.branches]
        })
      const masked = mask(raws, { numbers: 'masked', addresses: 'all' })
      expect(summarize(masked)).toEqual(summarize(raws))
    }
  })

  test('contain no address of the call if all are masked', () => {
    for (const { name, messages } of flows) {
      const addresses = new Set(messages.flatMap(({ source, destination }) => [source.address, destination.address]))
      const raws = messages.map(({ text }) => text)
      const masked = mask(raws, { numbers: 'masked', addresses: 'all' }).join('\n')
      for (const address of addresses)
        expect({ name, isContained: masked.includes(address) }).toEqual({ name, isContained: false })
    }
  })
})
