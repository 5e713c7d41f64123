import { describe, expect, test } from 'vitest'
import { describeArrow, secondsText, toLadder, toMultiLegLadder } from '../ladder.ts'
import { findSipFindings } from './findings.ts'

/** Handwritten calls for cases that two SIPp processes on one machine cannot produce, and for limits. */

const hosts = { A: '203.0.113.7', P: '10.0.0.9', B: '198.51.100.4', Q: '198.51.100.5' } as const
type Host = keyof typeof hosts

interface Written {
  seconds: number
  /** as `A>B` */
  way: `${Host}>${Host}`
  start: string
  cseq?: string
  /** tags of From and To */
  tags?: [string, string]
  headers?: readonly string[]
  sdp?: readonly string[]
  protocol?: number
}

const audio = (more: readonly string[] = [], { address = '203.0.113.7', formats = '0 101' } = {}): string[] => [
  'v=0',
  'o=- 1 1 IN IP4 203.0.113.7',
  's=-',
  `c=IN IP4 ${address}`,
  't=0 0',
  `m=audio 20000 RTP/AVP ${formats}`,
  'a=rtpmap:101 telephone-event/8000',
  ...more,
]

const written = ({ seconds, way, start, cseq, tags, headers = [], sdp = [], protocol = 17 }: Written) => {
  const [from, to] = way.split('>') as [Host, Host]
  const method = start.split(' ')[0] ?? ''
  const [fromTag, toTag] = tags ?? ['a', start.startsWith('INVITE') ? '' : 'b']
  const body = sdp.length === 0 ? '' : `${sdp.join('\r\n')}\r\n`
  const lines = [
    method === 'SIP/2.0' ? start : `${start} SIP/2.0`,
    `Via: SIP/2.0/UDP ${hosts[from]};branch=z9hG4bK1`,
    `From: <sip:1@a.example>;tag=${fromTag}`,
    `To: <sip:2@b.example>${toTag ? `;tag=${toTag}` : ''}`,
    'Call-ID: x',
    `CSeq: ${cseq ?? `1 ${method === 'SIP/2.0' ? 'INVITE' : method}`}`,
    ...headers,
    `Content-Length: ${body.length}`,
    '',
    body,
  ]
  return {
    micro_ts: 1_700_000_000_000_000 + Math.round(seconds * 1e6),
    srcIp: hosts[from],
    srcPort: 5060,
    dstIp: hosts[to],
    dstPort: 5060,
    protocol,
    raw: lines.join('\r\n'),
  }
}

const createCapture = (messages: readonly Written[]) => ({
  total: messages.length,
  data: { messages: messages.map(written) },
})
const ladder = (messages: readonly Written[]) => toLadder(createCapture(messages))
const analyze = (messages: readonly Written[]) =>
  findSipFindings(ladder(messages)).map(({ severity, text, source }) => `${severity}: ${text} [${source}]`)

const A = 'the caller (203.0.113.7:5060)'
const B = 'the called party (198.51.100.4:5060)'

const invite: Written = { seconds: 0, way: 'A>B', start: 'INVITE sip:2@b.example', sdp: audio() }
const ok: Written = {
  seconds: 2,
  way: 'B>A',
  start: 'SIP/2.0 200 OK',
  headers: ['Contact: <sip:2@198.51.100.4>'],
  sdp: audio(),
}
const ack: Written = { seconds: 2.1, way: 'A>B', start: 'ACK sip:2@b.example' }
const bye: Written = { seconds: 62, way: 'A>B', start: 'BYE sip:2@b.example', cseq: '2 BYE' }
const byeOk: Written = { seconds: 62.1, way: 'B>A', start: 'SIP/2.0 200 OK', cseq: '2 BYE' }
const call = [invite, ok, ack, bye, byeOk]
const but = (...changed: Written[]) => [...changed, ack, bye, byeOk]
const again = (message: Written, ...seconds: number[]) => seconds.map((at) => ({ ...message, seconds: at }))

test('reports no problem for a successful call', () => {
  expect(analyze(call)).toEqual([
    'good: The called party (198.51.100.4:5060) answered after 2.00 s. [RFC 3261 §13.2.2.4]',
    'info: The caller (203.0.113.7:5060) hung up 1 min 0 s after the answer. [RFC 3261 §15.1.1]',
    'good: Audio in both directions was agreed between 203.0.113.7:20000 and 203.0.113.7:20000: PCMU. [RFC 3264 §6]',
  ])
})

describe('end of the call', () => {
  test.each<[string, Written[], string]>([
    [
      'a hop in the name of a side',
      [...call.slice(0, 3), { ...bye, way: 'P>B' }, { ...byeOk, way: 'B>P' }],
      'info: 10.0.0.9:5060, in the name of the caller, hung up 1 min 0 s after the answer.',
    ],
    [
      'a cause that is none of normal clearing',
      [...call.slice(0, 3), { ...bye, headers: ['Reason: Q.850;cause=41, SIP;cause=500'] }, byeOk],
      `warn: The caller (203.0.113.7:5060) hung up 1 min 0 s after the answer. Reason given: SIP cause 500, Server Internal Error; Q.850 cause 41, temporary failure.`,
    ],
    [
      'a session timer that was not refreshed',
      [invite, { ...ok, headers: ['x: 90;refresher=uas'] }, ack, { ...bye, seconds: 62 }, byeOk],
      `warn: The caller (203.0.113.7:5060) hung up 1 min 0 s after the answer. The session timer of 90 s had not been refreshed for 1 min 0 s: the side that waits for a refresh hangs up then (RFC 4028 §10).`,
    ],
    [
      'a hangup of the side that refreshes the session',
      [invite, { ...ok, headers: ['x: 90;refresher=uac'] }, ack, { ...bye, seconds: 62 }, byeOk],
      'info: The caller (203.0.113.7:5060) hung up 1 min 0 s after the answer. [RFC 3261 §15.1.1]',
    ],
    [
      'a called party that gave up on an ACK',
      [invite, ok, ...again(ok, 2.5, 3.5, 5.5), { ...bye, seconds: 34, way: 'B>A', tags: ['b', 'a'], cseq: '1 BYE' }],
      `bad: The caller (203.0.113.7:5060) never acknowledged the answer of ${B} (200 OK, sent 4 times): no ACK was captured. It hung up for this reason after 32.00 s.`,
    ],
    [
      'a BYE that nobody answered',
      [...call.slice(0, 4), ...again(bye, 62.5, 63.5)],
      `warn: The called party (198.51.100.4:5060) never answered the BYE, sent 3 times.`,
    ],
    [
      'a BYE whose response was not captured',
      call.slice(0, 4),
      `info: No response of the called party (198.51.100.4:5060) to the BYE was captured.`,
    ],
    [
      'a BYE that is refused',
      [...call.slice(0, 4), { ...byeOk, start: 'SIP/2.0 500 Server Internal Error' }],
      'warn: The called party (198.51.100.4:5060) rejected the BYE with 500 Server Internal Error',
    ],
    [
      'a BYE of both sides at the same time',
      [...call.slice(0, 4), { ...bye, seconds: 62.05, way: 'B>A', tags: ['b', 'a'], cseq: '1 BYE' }],
      `info: Both sides hung up at the same time: ${A} and ${B}.`,
    ],
    [
      'an end that was not captured',
      call.slice(0, 3),
      'info: No BYE was captured: the call is still in progress, or its end did not pass a capture point.',
    ],
  ])('reports: %s', (_what, messages, text) => expect(analyze(messages)).toContainEqual(expect.stringContaining(text)))
})

describe('rejections', () => {
  const hop = (way: Written['way'], start: string, seconds: number, more: Partial<Written> = {}): Written => ({
    way,
    start,
    seconds,
    ...more,
  })
  const forward = [invite, hop('B>P', 'INVITE sip:2@b.example', 0.1, { sdp: audio() })]
  const response = (start: string, seconds: number, way: Written['way']) => hop(way, start, seconds)

  test('reports a status that a hop replaced, and its origin', () => {
    expect(
      analyze([
        ...forward,
        response('SIP/2.0 503 Service Unavailable', 0.2, 'P>B'),
        { ...ack, seconds: 0.25, way: 'B>P' },
        response('SIP/2.0 500 Server Error', 0.3, 'B>A'),
        { ...ack, seconds: 0.4 },
      ]),
    ).toEqual([
      'bad: 198.51.100.4:5060 rejected the call with 500 Server Error: it had an internal error. Before that, the called party (10.0.0.9:5060) had responded with 503 Service Unavailable. [RFC 3261 §21.5.1, §16.7]',
    ])
  })

  test('blames the hop without a response instead of the one that reports the timeout', () => {
    const findings = findSipFindings(
      ladder([
        ...forward,
        ...again(forward[1] ?? invite, 0.6, 1.6, 3.6, 7.6, 15.6, 31.9),
        response('SIP/2.0 408 Request Timeout', 32.2, 'B>A'),
        { ...ack, seconds: 32.3 },
      ]),
    )
    expect(findings.map(({ severity, where }) => [severity, where])).toEqual([
      ['bad', 2],
      ['bad', 2],
    ])
    expect(findings[1]?.text).toMatch(
      /^The called party \(10\.0\.0\.9:5060\) never answered the INVITE, sent 7 times in 31\.80 s/,
    )
  })

  test('reports a hop that rejected the call while another accepted it', () => {
    const second = hop('B>Q', 'INVITE sip:2@b.example', 0.4, { sdp: audio() })
    expect(
      analyze([
        ...forward,
        response('SIP/2.0 503 Service Unavailable', 0.2, 'P>B'),
        { ...ack, seconds: 0.3, way: 'B>P' },
        second,
        { ...ok, way: 'Q>B', seconds: 1 },
        { ...ok, seconds: 1.1 },
        { ...ack, seconds: 1.2 },
        { ...ack, seconds: 1.3, way: 'B>Q' },
      ]),
    ).toContainEqual(
      'info: 10.0.0.9:5060 was tried before: 503 Service Unavailable (it is overloaded, in maintenance, or has no route to the called party). [RFC 3261 §16.7]',
    )
  })

  test('reports an ACK that a hop did not forward', () => {
    const answer: Written = { ...ok, way: 'P>B' }
    expect(analyze([...forward, answer, { ...ok, seconds: 2.05 }, ack, ...again(answer, 2.5, 3.5)])).toContainEqual(
      expect.stringContaining('bad: 198.51.100.4:5060 received the ACK and did not forward it to the called party'),
    )
  })

  test('reports silence after ringing, unacknowledged rejections, and INVITEs that exceed a datagram', () => {
    expect(analyze([invite, response('SIP/2.0 180 Ringing', 0.1, 'B>A')])).toEqual([
      `info: After 180 Ringing of ${B}, no final response was captured: neither an answer nor a rejection. [RFC 3261 §17.1.1.2]`,
    ])
    const notFound = response('SIP/2.0 404 Not Found', 0.1, 'B>A')
    expect(analyze([invite, notFound]).filter((text) => text.includes('acknowledge'))).toEqual([])
    expect(analyze([invite, notFound, ...again(notFound, 0.6, 1.6)])).toContainEqual(
      'warn: The caller (203.0.113.7:5060) did not acknowledge 404 Not Found of the called party (198.51.100.4:5060), sent 3 times. [RFC 3261 §17.1.1.3]',
    )
    expect(analyze([invite])).toEqual([`info: No response of ${B} to the INVITE was captured. [RFC 3261 §17.1.1.2]`])
    const long = { ...invite, headers: [`X-Long: ${'x'.repeat(1300)}`] }
    expect(analyze([long, ...again(long, 0.5, 32)])).toEqual([
      expect.stringMatching(/^bad: .* sent 3 times in 32\.00 s.*more than fits into one UDP packet/),
    ])
  })
})

describe('media', () => {
  const offer = (...more: string[]): Written => ({ ...invite, sdp: audio(more) })
  const answer = (more: string[], how = {}): Written => ({ ...ok, sdp: audio(more, how) })
  const reinvite: Written = { ...invite, seconds: 10, cseq: '2 INVITE', tags: ['a', 'b'], sdp: audio(['a=sendonly']) }

  test.each<[string, Written[], string]>([
    [
      'an answer that only hears',
      but(invite, answer(['a=recvonly'])),
      `bad: One-way audio: ${B} sent a=recvonly in its SDP, so the called party hears the caller but is not heard.`,
    ],
    [
      'an answer that only plays audio',
      but(invite, answer(['a=sendonly'])),
      `bad: One-way audio: ${B} sent a=sendonly in its SDP, so the caller hears the called party but is not heard.`,
    ],
    [
      'an announcement, which ends the call itself',
      [invite, answer(['a=sendonly']), ack, { ...bye, way: 'B>A', tags: ['b', 'a'], cseq: '1 BYE' }],
      `info: Audio in one direction was agreed: ${B} sent a=sendonly in its SDP, as announcements do, and hung up itself, so the caller hears the called party but is not heard.`,
    ],
    [
      'an offer that begins the call on hold',
      but(offer('a=sendonly'), answer(['a=recvonly'])),
      `info: The call began on hold: ${A} sent a=sendonly in its SDP, so the called party hears the caller but is not heard. No later offer that ended the hold was captured. [RFC 3264 §8.4]`,
    ],
    [
      'an offer that only listens',
      but(offer('a=recvonly'), answer(['a=sendonly'])),
      `bad: One-way audio: ${A} sent a=recvonly in its SDP, so the caller hears the called party but is not heard.`,
    ],
    [
      'no way at all',
      but(invite, answer(['a=inactive'])),
      `bad: No audio: ${B} sent a=inactive in its SDP, so neither hears the other.`,
    ],
    [
      'an address of nowhere',
      but(invite, answer([], { address: '0.0.0.0' })),
      `bad: One-way audio: ${B} sent the address 0.0.0.0 in its SDP, so the caller hears the called party but is not heard.`,
    ],
    [
      'port 0',
      but(invite, { ...ok, sdp: audio().map((line) => line.replace('20000', '0')) }),
      `sent port 0 in its SDP, so neither hears the other. [RFC 3264 §6]`,
    ],
    [
      'a direction that does not fit',
      but(offer('a=recvonly'), answer(['a=recvonly'])),
      'answers a=recvonly with a=recvonly, which is not compatible. [RFC 3264 §6.1]',
    ],
    [
      'another codec than was offered',
      but(invite, answer([], { formats: '8 101' })),
      `bad: No codec in common: ${A} offers PCMU, ${B} answers PCMA.`,
    ],
    [
      'no events for keys',
      but(invite, answer([], { formats: '0' })),
      'info: The called party (198.51.100.4:5060) does not name telephone-event',
    ],
    [
      'no word of media',
      but(invite, { ...ok, sdp: [] }),
      'bad: The called party (198.51.100.4:5060) answered the call without a media description',
    ],
    [
      'a stream that is not answered',
      but({ ...invite, sdp: [...audio(), 'm=video 30000 RTP/AVP 31'] }, ok),
      'answers 2 media streams with 1',
    ],
    [
      'media in a private network',
      but({ ...invite, sdp: audio([], { address: '192.168.1.10' }) }, ok),
      `warn: The caller (203.0.113.7:5060) expects audio at 192.168.1.10:20000`,
    ],
    [
      'a hold',
      [
        invite,
        ok,
        ack,
        reinvite,
        { ...ok, seconds: 10.1, cseq: '2 INVITE', sdp: audio(['a=recvonly']) },
        { ...ack, seconds: 10.2, cseq: '2 ACK' },
      ],
      `info: At 10.00 s ${A} put the call on hold with a=sendonly: the called party hears the caller but is not heard. [RFC 3264 §8.4]`,
    ],
    [
      'an offer in the answer',
      [
        { ...invite, sdp: [] },
        { ...ok, sdp: audio(['a=sendonly']) },
        { ...ack, sdp: audio(['a=recvonly']) },
      ],
      `info: The call began on hold: ${B} sent a=sendonly in its SDP`,
    ],
  ])('reports: %s', (_what, messages, text) => expect(analyze(messages)).toContainEqual(expect.stringContaining(text)))

  test('reports rejected encryption', () => {
    const secure = { ...invite, sdp: audio().map((line) => line.replace('RTP/AVP', 'RTP/SAVP')) }
    expect(analyze([secure, { ...ok, start: 'SIP/2.0 488 Not Acceptable Here' }, ack])).toContainEqual(
      expect.stringContaining('PCMU over RTP/SAVP (encrypted).'),
    )
  })
})

describe('addresses', () => {
  const contact = (uri: string): Written[] => [{ ...invite, headers: [`Contact: "B \\" <x>" <${uri}>`] }, ok, ack]
  test.each([
    ['sip:1@192.168.1.10:5060', true],
    ['sip:1:secret@10.1.1.1;transport=tcp', true],
    ['sip:1@172.31.0.1', true],
    ['sip:100.64.0.1', true],
    ['sips:1@[fd00::1]:5061', true],
    ['sip:1@172.32.0.1', false],
    ['sip:1@203.0.113.7', false],
    ['sip:1@pbx.example.com', false],
    ['tel:+15083084809', false],
  ])('reports a contact %s in a message from a public address: %s', (uri, isHidden) => {
    expect(analyze(contact(uri)).some((text) => text.includes('is behind a NAT'))).toBe(isHidden)
  })

  test('ignores a private contact of a host in the private network', () => {
    const within = { ...invite, way: 'P>B' as const, headers: ['Contact: <sip:1@10.0.0.9>'] }
    expect(analyze([within]).some((text) => text.includes('NAT'))).toBe(false)
  })
})

describe('credentials', () => {
  const askWith = (nonce: string) => `WWW-Authenticate: Digest realm="b.example", nonce="${nonce}"`
  const register = (number: number, headers: string[] = []): Written => ({
    seconds: number,
    way: 'A>B',
    start: 'REGISTER sip:b.example',
    cseq: `${number} REGISTER`,
    tags: ['a', ''],
    headers: ['Contact: <sip:a@203.0.113.7:5060>', ...headers],
  })
  const refused = (number: number, challenge = askWith(`n${number}`)): Written => ({
    seconds: number + 0.1,
    way: 'B>A',
    start: 'SIP/2.0 401 Unauthorized',
    cseq: `${number} REGISTER`,
    headers: [challenge],
  })
  const accepted = (number: number): Written => ({ ...refused(number), start: 'SIP/2.0 200 OK', headers: [] })
  const answering = (nonce: string) => [`Authorization: Digest username="a", realm="b.example", nonce="${nonce}"`]

  test('causes no finding if they are sent on request, or if the nonce expired', () => {
    const taken = ['good: 198.51.100.4:5060 accepted the registration of 203.0.113.7:5060 (200 OK). [RFC 3261 §10.3]']
    const first = [register(1), refused(1)]
    expect(analyze([...first, register(2, answering('n1')), accepted(2)])).toEqual(taken)
    const renewed = (challenge: string) => [
      ...first,
      register(2, answering('n1')),
      refused(2, challenge),
      register(3, answering('n2')),
      accepted(3),
    ]
    for (const challenge of [`${askWith('n2')}, stale=TRUE`, askWith('n2')])
      expect(analyze(renewed(challenge))).toEqual(taken)
    expect(analyze([register(2, answering('kept')), refused(2), register(3, answering('n2')), accepted(3)])).toEqual(
      taken,
    )
  })

  test('are not called wrong if the capture does not show the challenge that they answered', () => {
    const findings = analyze([register(2, answering('kept')), refused(2)])
    expect(findings).toEqual([expect.stringMatching(/^info: .* requested other credentials for the realm b\.example/)])
  })

  test('are not counted as rejected by the challenge of another realm', () => {
    const other = 'Proxy-Authenticate: Digest realm="proxy.example", nonce="p"'
    const both = [...answering('n1'), 'Proxy-Authorization: Digest username="a", realm="proxy.example", nonce="p"']
    expect(
      analyze([
        register(1),
        refused(1),
        register(2, answering('n1')),
        refused(2, other),
        register(3, both),
        accepted(3),
      ]),
    ).toEqual([expect.stringMatching(/^good/)])
  })

  const ofRealm = (realm: string, nonce: string) =>
    `Authorization: Digest username="a", realm="${realm}", nonce="${nonce}"`
  const stale = (nonce: string) => `${askWith(nonce)}, stale=true`
  const isStale = (number: number) => refused(number, stale(`n${number}`))
  const begin = [register(1), refused(1)]

  test.each<[string, Written[], RegExp]>([
    [
      'another realm than the challenge that they answer',
      [...begin, register(2, [ofRealm('c.example', 'n1')]), refused(2)],
      /^bad: 198\.51\.100\.4:5060 rejected the credentials of 203\.0\.113\.7:5060 once .*: they are for the realm c\.example, but the challenge that they answer is for the realm b\.example\. /,
    ],
    [
      'their own realm, and those of another one beside them',
      [...begin, register(2, [...answering('n1'), ofRealm('c.example', 'n1')]), refused(2)],
      /^bad: .* for the realm b\.example once \(401 Unauthorized\): the user name or the password/,
    ],
    [
      'another realm, whose challenge was not captured',
      [...begin, register(2, [ofRealm('c.example', 'kept')]), refused(2)],
      /^info: .*, and does not show the challenge that these answered/,
    ],
    [
      'a challenge whose nonce is called stale once',
      [...begin, register(2, answering('n1')), isStale(2)],
      /^info: .*no later request of 203\.0\.113\.7:5060\. The response calls their nonce stale, so they are only outdated\. /,
    ],
    [
      'each new challenge, whose nonces are all called stale',
      [...begin, register(2, answering('n1')), isStale(2), register(3, answering('n2')), isStale(3)],
      /^bad: 198\.51\.100\.4:5060 called the nonce of its own challenge for the realm b\.example stale twice in a row \(401 Unauthorized\), although 203/,
    ],
    [
      'each new challenge, but late',
      [...begin, register(40, answering('n1')), isStale(40), register(80, answering('n40')), isStale(80)],
      /^info: .*Their nonce had been used before, or was answered late/,
    ],
    [
      'a challenge for the second time',
      [...begin, register(2, answering('n1')), accepted(2), register(3, answering('n1')), refused(3)],
      /^info: .*Their nonce had been used before/,
    ],
    [
      'one of two challenges with the same nonce, for the second time',
      [
        register(1),
        { ...refused(1), headers: [askWith('n1'), `${askWith('n1')}, algorithm=SHA-256`] },
        register(2, answering('n1')),
        accepted(2),
        register(3, answering('n1')),
        refused(3),
      ],
      /^info: .*Their nonce had been used before/,
    ],
    [
      'no nonce, which the challenge does not have either',
      [
        register(1),
        refused(1, 'WWW-Authenticate: Basic realm="b.example"'),
        register(2, ['Authorization: Basic realm="c.example"']),
        refused(2, 'WWW-Authenticate: Basic realm="b.example"'),
      ],
      /^info: /,
    ],
    [
      'the challenge of one of two realms',
      [
        ...begin,
        register(2, answering('n1')),
        refused(2, 'Proxy-Authenticate: Digest realm="proxy.example", nonce="p"'),
      ],
      /^bad: .* requested credentials for the realm proxy\.example .*, and 203\.0\.113\.7:5060 sent none for it\. /,
    ],
  ])('are judged if they are for %s', (_what, messages, expected) => {
    expect(analyze(messages).filter((text) => !text.startsWith('good'))).toEqual([expect.stringMatching(expected)])
  })

  test('are no problem if the server takes them after two stale nonces', () => {
    const renewed = [register(2, answering('n1')), isStale(2), register(3, answering('n2')), isStale(3)]
    expect(analyze([...begin, ...renewed, register(4, answering('n3')), accepted(4)])).toEqual([
      expect.stringMatching(/^good/),
    ])
  })

  test('are reported as wrong if they are rejected repeatedly', () => {
    const repeated = [1, 2, 3].flatMap((n) => [register(n, n > 1 ? answering(`n${n - 1}`) : []), refused(n)])
    expect(analyze(repeated)).toEqual([
      expect.stringMatching(
        /^bad: .* for the realm b\.example twice \(401 Unauthorized\): the user name or the password/,
      ),
    ])
  })

  test.each([
    ['OPTIONS', 'info'],
    ['SUBSCRIBE', 'warn'],
  ])('are missed by a call according to the method: %s', (method, severity) => {
    const of = (one: Written): Written => ({
      ...one,
      start: one.start.replace('REGISTER', method),
      cseq: `1 ${method}`,
    })
    expect(analyze([of(register(1)), of(refused(1))])).toContainEqual(
      expect.stringMatching(new RegExp(`^${severity}: .* requested credentials`)),
    )
  })

  test('reports that they are missing', () => {
    expect(analyze([register(1), refused(1)])).toEqual([
      'bad: 198.51.100.4:5060 requested credentials for the realm b.example (401 Unauthorized), and 203.0.113.7:5060 sent none. [RFC 3261 §22.1, §22.2]',
    ])
  })
})

describe('network problems', () => {
  const givenUp: Written = { ...bye, seconds: 34, way: 'B>A', tags: ['b', 'a'] }

  test('reports slow responses that cause retransmissions', () => {
    const retransmitted = (...seconds: number[]) =>
      analyze([invite, ...again(invite, ...seconds), { ...ok, seconds: 9 }, { ...ack, seconds: 9.1 }])
    expect(retransmitted(0.5).filter((text) => text.includes('retransmitted'))).toEqual([])
    expect(retransmitted(0.5, 1.5, 3.5, 7.5)).toContainEqual(expect.stringMatching(/^warn: .* 4 times, mostly/))
    expect(analyze([invite, ...again(invite, 0.5, 1.5), ok, ack])).toContainEqual(
      'info: Requests were retransmitted twice, mostly the INVITE to the called party (198.51.100.4:5060): its first response took 2.00 s. [RFC 3261 §17.1.1.1, §17.1.2.2]',
    )
  })

  test('reports a response that is repeated after its ACK', () => {
    expect(analyze([invite, ok, ack, ...again(ok, 3, 5)])).toContainEqual(
      expect.stringContaining('repeated 200 OK twice after the ACK had been seen'),
    )
  })

  test.each<[string, Written[], string]>([
    ['was not captured', [], 'no ACK was captured'],
    ['has another To tag', [{ ...ack, tags: ['a', 'x'] }], 'its ACK has a To tag that no captured response has'],
    ['has another number', [{ ...ack, cseq: '2 ACK' }], 'its ACK has a CSeq number that no captured INVITE has'],
    [
      'is of another device that rang',
      [
        { ...ok, seconds: 1, start: 'SIP/2.0 180 Ringing', tags: ['a', 'c'] },
        { ...ack, tags: ['a', 'c'] },
      ],
      'no ACK was captured',
    ],
    ['is of another dialog', [{ ...ack, tags: ['x', 'y'] }], 'no ACK was captured'],
    ['is of the called party', [{ ...ack, way: 'B>A', tags: ['a', 'x'] }], 'no ACK was captured'],
  ])('reports an answer without an ACK: the one that %s', (_what, acks, text) => {
    const findings = analyze([invite, ok, ...acks, ...again(ok, 2.5, 3.5, 5.5, 9.5), givenUp])
    expect(findings).toContainEqual(expect.stringContaining(`(200 OK, sent 5 times): ${text}. It hung up`))
  })

  test('reports a CANCEL that a host ignored which had responded to the INVITE', () => {
    const trying: Written = { seconds: 0.1, way: 'B>A', start: 'SIP/2.0 180 Ringing' }
    const cancel: Written = {
      seconds: 5,
      way: 'A>B',
      start: 'CANCEL sip:2@b.example',
      cseq: '1 CANCEL',
      tags: ['a', ''],
    }
    const canceled: Written = { ...byeOk, seconds: 5.1, cseq: '1 CANCEL' }
    const late: Written = { ...ok, seconds: 20 }
    const of = (...messages: Written[]) =>
      analyze([invite, ...messages]).filter((text) => text.includes('CANCEL, sent'))
    const copies = again(cancel, 5.5, 6.5)
    const ignored = 'info: The called party (198.51.100.4:5060) never answered the CANCEL, sent 3 times.'
    expect(of(trying, cancel, ...copies, late, ack)).toEqual([
      `${ignored} The call was answered 15.00 s after it. [RFC 3261 §9.1, §9.2]`,
    ])
    expect(of(trying, cancel, ...copies)).toEqual([`${ignored} [RFC 3261 §9.1, §9.2]`])
    expect(of(trying, cancel, late, ack)).toEqual([])
    expect(of(trying, cancel, canceled, ...copies, late, ack)).toEqual([])
    expect(of(trying, cancel, ...copies, { ...late, start: 'SIP/2.0 487 Request Terminated' })).toEqual([])
    expect(of(cancel, ...copies)).toEqual([])
  })

  test('blames an answer without an ACK on the side that named no Contact for it', () => {
    const unreachable = { ...ok, headers: [] }
    const analyzeAnswers = (begin: Written[], ...acks: Written[]) =>
      findSipFindings(
        ladder([...begin, unreachable, ...acks, ...again(unreachable, 2.5, 3.5, 5.5, 9.5), givenUp]),
      ).filter(({ rule }) => rule === 'noAck')
    expect(analyzeAnswers([invite])).toEqual([
      expect.objectContaining({
        severity: 'bad',
        text: `No ACK reached ${B} (200 OK, sent 5 times): its answer has no Contact header, which says where to send an ACK. It hung up for this reason after 32.00 s.`,
        where: 1,
        advice: expect.stringContaining('Contact'),
      }),
    ])
    // An ACK that matches nothing is the reason, and the target of a dialog stays as it is in a re-INVITE.
    expect(analyzeAnswers([invite], { ...ack, tags: ['a', 'x'] })).toEqual([expect.objectContaining({ where: 0 })])
    expect(analyzeAnswers([{ ...invite, tags: ['a', 'b'] }])).toEqual([expect.objectContaining({ where: 0 })])
  })

  test('reports a reliable provisional response only if it lacks a PRACK', () => {
    const early: Written = {
      seconds: 1,
      way: 'B>A',
      start: 'SIP/2.0 183 Session Progress',
      headers: ['RSeq: 7', 'Require: 100rel'],
    }
    const prack: Written = {
      seconds: 1.1,
      way: 'A>B',
      start: 'PRACK sip:2@b.example',
      cseq: '2 PRACK',
      headers: ['RAck: 7 1 INVITE'],
    }
    const of = (...more: Written[]) =>
      analyze([invite, early, ...more, ok, ack]).filter((text) => text.includes('PRACK'))
    expect(of()).toEqual([])
    expect(of(...again(early, 1.5, 2.5))).toEqual([
      expect.stringContaining('did not confirm 183 Session Progress with a PRACK'),
    ])
    expect(of(prack, { ...byeOk, seconds: 1.2, cseq: '2 PRACK' })).toEqual([])
    // The sender of the response rejects the call when the wait has passed (RFC 3262 §3).
    const rejectedAt = (seconds: number, status: string) =>
      findSipFindings(
        ladder([
          invite,
          early,
          ...again(early, 1.5, 2.5, 4.5, 8.5, 16.5),
          { seconds, way: 'B>A', start: `SIP/2.0 ${status}` },
        ]),
      ).flatMap(({ severity, text, unconfirmed }) => (text.includes('PRACK') ? [[severity, unconfirmed?.text]] : []))
    expect(rejectedAt(33, '504 Server Time-out')).toEqual([['bad', 'No PRACK for 183 Session Progress arrived']])
    expect(rejectedAt(10, '504 Server Time-out')).toEqual([['warn', undefined]])
    expect(rejectedAt(60, '504 Server Time-out')).toEqual([['warn', undefined]])
    expect(rejectedAt(33, '486 Busy Here')).toEqual([['warn', undefined]])
    // A PRACK that was refused confirms another response, or has the number of another request.
    const prackWith = (rack: string, status = '481 Call/Transaction Does Not Exist') =>
      of(
        ...again(early, 1.5, 2.5, 4.5),
        { ...prack, headers: [`RAck: ${rack}`] },
        { ...byeOk, seconds: 1.2, start: `SIP/2.0 ${status}`, cseq: '2 PRACK' },
      ).filter((text) => text.includes('183'))
    const mismatch = (rack: string) =>
      `warn: The caller (203.0.113.7:5060) confirmed 183 Session Progress (sent 4 times) with a PRACK that does not match it: its RAck is ${rack} instead of 7 1 INVITE. The called party (198.51.100.4:5060) rejected it with 481 Call/Transaction Does Not Exist. [RFC 3262 §3]`
    expect(prackWith('8 1 INVITE')).toEqual([mismatch('8 1 INVITE')])
    expect(prackWith('7  3 INVITE')).toEqual([mismatch('7 3 INVITE')])
    expect(prackWith('8 1 INVITE', '200 OK')).toEqual([expect.stringContaining('did not confirm')])
    expect(prackWith('7 1 INVITE')).toEqual([expect.stringContaining('after the PRACK had been seen')])
  })
})

describe('the ladder', () => {
  test('shows a packet that was captured twice once, and counts retransmissions', () => {
    const drawn = ladder([invite, ...again(invite, 0.01, 0.5), ok])
    expect(drawn).toMatchObject({
      legs: [{ doubled: 1 }],
      isCut: false,
      arrows: [{ again: [1_700_000_000_500_000] }, {}],
    })
    expect(drawn.arrows.map((arrow) => describeArrow(drawn, arrow))).toEqual([
      'INVITE from 203.0.113.7:5060 to 198.51.100.4:5060, 0.000 s, sent 2 times',
      '200 OK from 198.51.100.4:5060 to 203.0.113.7:5060, 2.00 s',
    ])
  })

  test('shows a host with several TCP ports as one lane', () => {
    const tcp = { ...createCapture(call.map((message) => ({ ...message, protocol: 6 }))) }
    const [first, ...rest] = tcp.data.messages
    const messages = [
      { ...first, srcPort: 5060 },
      ...rest.map((one) => (one.srcIp === hosts.A ? { ...one, srcPort: 40_001 } : one)),
    ]
    expect(toLadder({ data: { messages } }).lanes.map(({ host }) => host)).toEqual([
      '203.0.113.7:5060',
      '198.51.100.4:5060',
    ])
  })

  test('takes names from the caller, from aliases, or from User-Agent headers', () => {
    const { data } = createCapture([{ ...invite, headers: ['User-Agent: Phone 1.0'] }, ok])
    const names = (more: object, options = {}) =>
      toLadder({ data: { ...data, ...more } }, options).lanes.map(({ name }) => name)
    expect(names({})).toEqual(['Phone 1.0', undefined])
    expect(names({ alias: { '198.51.100.4:5060': 'edge', '203.0.113.7:5060': '203.0.113.7:5060' } })).toEqual([
      'Phone 1.0',
      'edge',
    ])
    expect(names({}, { '203.0.113.7': 'a trunk' })).toEqual(['a trunk', undefined])
  })

  test.each([
    ['nothing', undefined],
    ['no lists', { total: 3, data: { messages: 'x', alias: 7 } }],
    [
      'messages that are none',
      { data: { messages: [null, 7, 'x', {}, { raw: 7 }, { raw: '\u0000\u0001', micro_ts: Number.NaN }] } },
    ],
    [
      'times of no calendar',
      {
        data: {
          messages: [
            { raw: 'x', micro_ts: 9e300 },
            { raw: 'y', create_date: 'never' },
          ],
        },
      },
    ],
    [
      'heads without end',
      { data: { messages: [{ raw: `INVITE sip:x SIP/2.0\r\nCSeq: 1 INVITE\r\n${'m=audio\r\n'.repeat(5000)}` }] } },
    ],
  ])('converts a capture with %s', (_what, capture) => {
    const drawn = toLadder(capture)
    expect(() => findSipFindings(drawn)).not.toThrow()
    for (const { at } of drawn.arrows) expect(() => new Date(at / 1000).toISOString()).not.toThrow()
  })

  test('parses or skips a message that is truncated anywhere', () => {
    const whole = written(invite)
    const cut = toLadder({ data: { messages: [{ ...whole, raw: whole.raw.slice(0, -1) }] } })
    expect(cut.arrows[0]?.message?.isCut).toBe(true)
    for (let length = 0; length < whole.raw.length; length += 1) {
      const drawn = toLadder({ data: { messages: [{ ...whole, raw: whole.raw.slice(0, length) }] } })
      expect(() => findSipFindings(drawn)).not.toThrow()
    }
  })

  test('reports incomplete captures', () => {
    expect(toLadder({ ...createCapture(call), total: 9 })).toMatchObject({ isCut: true, cutAt: undefined })
    for (const cut_at of ['beginning', 'end'])
      expect(toLadder({ ...createCapture(call), is_cut: true, cut_at })).toMatchObject({ isCut: true, cutAt: cut_at })
    expect(toLadder({ ...createCapture(call), is_cut: true, cut_at: {} })).toMatchObject({
      isCut: true,
      cutAt: undefined,
    })
  })

  test('summarizes 5,000 messages in a few findings', () => {
    const calls = Array.from(
      { length: 5000 },
      (_, n): Written => ({
        ...(call[n % 5] ?? invite),
        seconds: n,
        cseq: `${n - (n % 5)} ${['INVITE', 'INVITE', 'ACK', 'BYE', 'BYE'][n % 5]}`,
      }),
    )
    const invites = Array.from(
      { length: 5000 },
      (_, n): Written => ({ ...invite, seconds: n, cseq: `${n} INVITE`, way: n % 2 ? 'A>B' : 'B>P' }),
    )
    const capture = [calls, invites].map(createCapture)
    const [, unanswered = []] = capture.map((one) => findSipFindings(toLadder(one)))
    expect(unanswered.map(({ text }) => text)).toContain('The same was found 2494 times more.')
    expect(unanswered.length).toBeLessThan(20)
  })

  test.each([
    [0, '0.000 s'],
    [12_300, '0.012 s'],
    [999_000, '0.999 s'],
    [12_300_000, '12.30 s'],
    [59_999_000, '1 min 0 s'],
    [125_000_000, '2 min 5 s'],
  ])('formats %d microseconds as %s', (microseconds, text) => expect(secondsText(microseconds)).toBe(text))
})

describe('legs', () => {
  const on = (way: 'A>P' | 'P>B' | 'P>A' | 'P>Q' | 'Q>B', messages: readonly Written[], later = 0): Written[] =>
    messages.map((message) => ({
      ...message,
      seconds: message.seconds + later,
      way: message.way === 'A>B' ? way : (way.split('>').toReversed().join('>') as Written['way']),
    }))
  const drawn = (...legs: Written[][]) =>
    toMultiLegLadder(legs.map((messages, index) => ({ name: 'ABC'.charAt(index), capture: createCapture(messages) })))
  const ofWhole = (...legs: Written[][]) =>
    findSipFindings(drawn(...legs))
      .filter(({ leg }) => leg === undefined)
      .map(({ severity, text, source }) => `${severity}: ${text} [${source}]`)

  const busy: Written[] = [
    invite,
    { ...ok, start: 'SIP/2.0 486 Busy Here', sdp: [], headers: ['Reason: Q.850;cause=17'] },
    ack,
  ]
  const cancel: Written = { seconds: 9, way: 'A>B', start: 'CANCEL sip:2@b.example', cseq: '1 CANCEL' }
  const ringing: Written = { ...ok, start: 'SIP/2.0 180 Ringing', sdp: [], seconds: 1 }
  const terminated: Written = { ...ringing, start: 'SIP/2.0 487 Request Terminated', seconds: 9.1 }
  const givenUp = [invite, ringing, cancel, terminated]
  const byCalled: Written[] = [
    ...call.slice(0, 3),
    { ...bye, seconds: 40, way: 'B>A', tags: ['b', 'a'], cseq: '1 BYE' },
  ]

  test.each<[string, Written[], Written[], string[]]>([
    [
      'the called party of the other leg hangs up, and the caller long after that',
      on('A>P', call),
      on('P>B', byCalled, 1),
      [
        'info: The caller (203.0.113.7:5060) hung up leg A. Leg B had been hung up 21.00 s before, by the called party (198.51.100.4:5060). [RFC 3261 §15]',
      ],
    ],
    [
      'the called party of the other leg hangs up',
      on('A>P', byCalled),
      on('P>B', byCalled, -1),
      [
        'info: The hangup came from leg B: there the called party (198.51.100.4:5060) hung up first, and leg A was hung up 1.00 s later. [RFC 3261 §15]',
      ],
    ],
    [
      'the host between the legs hangs up both',
      on('A>P', byCalled),
      on('P>B', [...call.slice(0, 3), { ...bye, seconds: 40.004 }]),
      ['info: 10.0.0.9:5060 hung up leg A and leg B. [RFC 3261 §15]'],
    ],
    [
      'the parties of both legs hang up, which the host between them did not pass on',
      on('A>P', call),
      on('P>B', byCalled, 21.5),
      [
        'info: The caller (203.0.113.7:5060) hung up leg A. Leg B was hung up at the same time, by the called party (198.51.100.4:5060). [RFC 3261 §15]',
      ],
    ],
    [
      'the call comes from the carrier to which it goes, so that only time stamps show what came first',
      on('A>P', call),
      on('P>A', call, 3),
      [
        'info: The hangup came from leg A: there the caller (203.0.113.7:5060) hung up first, and leg B was hung up 3.00 s later. [RFC 3261 §15]',
      ],
    ],
    [
      'a host with an address for each leg hangs up, so that only time stamps show what came first',
      on('A>P', byCalled),
      on('Q>B', byCalled, -3),
      [
        'info: The hangup came from leg B: there the called party (198.51.100.4:5060) hung up first, and leg A was hung up 3.00 s later. [RFC 3261 §15]',
      ],
    ],
    [
      'the caller hangs up',
      on('A>P', call),
      on('P>B', call, 3),
      [
        'info: The hangup came from leg A: there the caller (203.0.113.7:5060) hung up first, and leg B was hung up 3.00 s later. [RFC 3261 §15]',
      ],
    ],
    [
      'only one BYE was captured',
      on('A>P', call.slice(0, 3)),
      on('P>B', byCalled, 1),
      ['info: The called party (198.51.100.4:5060) hung up leg B. No BYE of leg A was captured. [RFC 3261 §15]'],
    ],
    [
      'the other leg is refused, and so this one',
      on('A>P', [invite, { ...ok, start: 'SIP/2.0 480 Temporarily Unavailable', sdp: [], seconds: 4 }, ack]),
      on('P>B', busy, 1),
      [
        'warn: Leg B failed: the called party (198.51.100.4:5060) responded with 486 Busy Here (the called party is busy). Leg A was rejected with 480 Temporarily Unavailable 1.00 s later as a result. Reason given: Q.850 cause 17, user busy. [RFC 3261 §21.4.24]',
      ],
    ],
    [
      'the other leg is blocked, and so this one',
      on('A>P', [invite, { ...ok, start: 'SIP/2.0 603 Decline', sdp: [], seconds: 4 }, ack]),
      on('P>B', [invite, { ...ok, start: 'SIP/2.0 603 Network Blocked', sdp: [] }, ack], 1),
      [
        'bad: Leg B failed: the called party (198.51.100.4:5060) responded with 603 Network Blocked (a network blocked the call, and gave no details). Leg A was rejected with 603 Decline 1.00 s later as a result. [ATIS-1000099]',
      ],
    ],
    [
      'the other leg is refused while this one goes on',
      on('A>P', call),
      on('P>B', busy, 5),
      [
        'warn: Leg B failed: the called party (198.51.100.4:5060) responded with 486 Busy Here (the called party is busy). Leg A had been answered, and was hung up 55.00 s later. Reason given: Q.850 cause 17, user busy. [RFC 3261 §21.4.24]',
      ],
    ],
    ['no response of the other leg was captured, which proves nothing', on('A>P', call), on('P>B', [invite], 5), []],
    ['the answer of the other leg was not captured', on('A>P', call), on('P>B', [invite, ack], 5), []],
    [
      'the other leg is never answered',
      on('A>P', call),
      on(
        'P>B',
        [0, 0.5, 1.5, 3.5].map((seconds) => ({ ...invite, seconds })),
        5,
      ),
      ['bad: Leg B failed: the called party (198.51.100.4:5060) never answered the INVITE. [RFC 3261 §17.1.1.2]'],
    ],
    [
      'the caller gives up, and with that the other leg',
      on('A>P', givenUp),
      on('P>B', givenUp, 0.2),
      [
        'info: The caller (203.0.113.7:5060) canceled the call on leg A; leg B was canceled as a result, 9.00 s after it began, before the called party (198.51.100.4:5060) had answered. [RFC 3261 §9.1]',
      ],
    ],
    [
      'the platform gives the other leg up',
      on('A>P', call),
      on('P>B', givenUp, 5),
      [
        'info: Leg B was canceled 9.00 s after it began, before the called party (198.51.100.4:5060) had answered: not by the caller of leg A, but by the caller (10.0.0.9:5060). [RFC 3261 §9.1]',
      ],
    ],
    [
      'the caller hangs up an answered leg, and with that one that rings',
      on('A>P', call),
      on('P>B', givenUp, 53.03),
      [
        'info: The caller (203.0.113.7:5060) hung up leg A; leg B was canceled as a result, 9.00 s after it began, before the called party (198.51.100.4:5060) had answered. [RFC 3261 §9.1]',
      ],
    ],
    [
      'the platform ends an answered leg and one that rings',
      on('A>P', byCalled),
      on('P>B', givenUp, 31.03),
      [
        'info: 10.0.0.9:5060 hung up leg A, and canceled leg B 9.00 s after it began, before the called party (198.51.100.4:5060) had answered. [RFC 3261 §9.1]',
      ],
    ],
    [
      'a leg is canceled shortly before the caller hangs up, which proves no connection',
      on('A>P', call),
      on('P>B', givenUp, 52),
      [
        'info: Leg B was canceled 9.00 s after it began, before the called party (198.51.100.4:5060) had answered, by the caller (10.0.0.9:5060). [RFC 3261 §9.1]',
      ],
    ],
    [
      'a leg is canceled long after the caller gave up',
      on('A>P', givenUp),
      on('P>B', givenUp, 30),
      [
        'info: Leg B was canceled 9.00 s after it began, before the called party (198.51.100.4:5060) had answered, by the caller (10.0.0.9:5060). [RFC 3261 §9.1]',
      ],
    ],
    [
      'the other leg is refused long before this one',
      on('A>P', [invite, { ...ok, start: 'SIP/2.0 480 Temporarily Unavailable', sdp: [], seconds: 40 }, ack]),
      on('P>B', busy, 1),
      [
        'warn: Leg B failed: the called party (198.51.100.4:5060) responded with 486 Busy Here (the called party is busy). Leg A was rejected with 480 Temporarily Unavailable 37.00 s later. Reason given: Q.850 cause 17, user busy. [RFC 3261 §21.4.24]',
      ],
    ],
    [
      'the called party of the other leg hangs up, by a clock that is late',
      on('A>P', byCalled),
      on('P>B', byCalled, 0.8),
      [
        'info: The hangup came from leg B: there the called party (198.51.100.4:5060) hung up first, and leg A was hung up at the same time. [RFC 3261 §15]',
      ],
    ],
    [
      'the caller hangs up, and the clock of the other leg is early',
      on('P>B', call),
      on('A>P', call, 0.8),
      [
        'info: The hangup came from leg B: there the caller (203.0.113.7:5060) hung up first, and leg A was hung up at the same time. [RFC 3261 §15]',
      ],
    ],
    [
      'what is no call',
      on('A>P', call),
      on('P>B', [{ ...bye, start: 'OPTIONS sip:2@b.example', cseq: '1 OPTIONS' }]),
      [],
    ],
  ])('%s', (_name, first, other, expected) => {
    expect(ofWhole(first, other)).toEqual(expected)
  })

  const shortCall: Written[] = [
    ...call.slice(0, 3),
    { ...bye, seconds: 20, way: 'B>A', tags: ['b', 'a'], cseq: '1 BYE' },
  ]

  test.each<[string, Written[][], string[]]>([
    [
      'a second transfer that fails after the first one has ended',
      [on('A>P', call), on('P>B', shortCall), on('P>Q', busy, 22)],
      [
        'info: The caller (203.0.113.7:5060) hung up leg A. Leg B had been hung up 42.00 s before, by the called party (198.51.100.4:5060). [RFC 3261 §15]',
        'warn: Leg C failed: the called party (198.51.100.5:5060) responded with 486 Busy Here (the called party is busy). Leg A had been answered, and was hung up 38.00 s later. Reason given: Q.850 cause 17, user busy. [RFC 3261 §21.4.24]',
      ],
    ],
    [
      'a consultation that fails while the first transfer goes on',
      [on('A>P', call), on('P>B', call, 0.5), on('P>Q', busy, 30)],
      [
        'info: The hangup came from leg A: there the caller (203.0.113.7:5060) hung up first, and leg B was hung up 0.500 s later. [RFC 3261 §15]',
        'warn: Leg C failed: the called party (198.51.100.5:5060) responded with 486 Busy Here (the called party is busy). Leg A had been answered, and was hung up 30.00 s later. Reason given: Q.850 cause 17, user busy. [RFC 3261 §21.4.24]',
      ],
    ],
    [
      'two transfers that their called parties end, one after the other',
      [on('A>P', call), on('P>B', shortCall), on('P>Q', shortCall, 30)],
      [
        'info: The caller (203.0.113.7:5060) hung up leg A. Leg B had been hung up 42.00 s before, by the called party (198.51.100.4:5060). Leg C had been hung up 12.00 s before, by the called party (198.51.100.5:5060). [RFC 3261 §15]',
      ],
    ],
    [
      'a conference that ends with one of its parties',
      [on('A>P', byCalled), on('P>B', byCalled, -0.5), on('P>Q', [...call.slice(0, 3), { ...bye, seconds: 40.1 }])],
      [
        'info: The hangup came from leg B: there the called party (198.51.100.4:5060) hung up first, and leg A was hung up 0.500 s later, leg C was hung up 0.600 s later. [RFC 3261 §15]',
      ],
    ],
  ])('%s', (_name, legs, expected) => {
    expect(ofWhole(...legs)).toEqual(expected)
  })

  describe('that are rejected', () => {
    const refused = (status: string, seconds: number): Written[] => [
      invite,
      { ...ok, start: `SIP/2.0 ${status}`, sdp: [], seconds },
      { ...ack, seconds: seconds + 0.1 },
    ]
    const [unknown, unavailable] = ['404 Not Found', '480 Temporarily Unavailable']
    /** Returns what the findings say of the first leg, in the order of the other ones. */
    const effects = (...legs: Written[][]) =>
      ofWhole(...legs).map((text) => /Leg [^.]* rejected with .*? later[^.]*/.exec(text)?.[0])

    test.each<[string, Written[][], string[]]>([
      [
        'one after the other',
        [on('A>P', refused(unknown, 4)), on('P>B', refused('486 Busy Here', 1)), on('P>Q', refused(unknown, 2), 1.5)],
        [
          'Leg C was tried next, and leg A was rejected with 404 Not Found 3.00 s later',
          'Leg A was rejected with 404 Not Found 0.500 s later as a result',
        ],
      ],
      [
        'at the same time, one of them with the status of the first leg',
        [on('A>P', refused(unknown, 4)), on('P>B', refused('486 Busy Here', 2)), on('P>Q', refused(unknown, 3))],
        [
          'Leg A was rejected with 404 Not Found 2.00 s later',
          'Leg A was rejected with 404 Not Found 1.00 s later as a result',
        ],
      ],
      [
        'at the same time, none of them with the status of the first leg',
        [on('A>P', refused(unavailable, 4)), on('P>B', refused('486 Busy Here', 2)), on('P>Q', refused(unknown, 3))],
        [
          'Leg A was rejected with 480 Temporarily Unavailable 2.00 s later as a result',
          'Leg A was rejected with 480 Temporarily Unavailable 1.00 s later as a result',
        ],
      ],
      [
        'one behind the other, by a party whose status was changed on the way',
        [
          on('A>P', refused(unavailable, 4)),
          on('P>Q', refused(unavailable, 3.5)),
          on('Q>B', refused('486 Busy Here', 2), 0.2),
        ],
        [
          'Leg A was rejected with 480 Temporarily Unavailable 0.500 s later as a result',
          'Leg A was rejected with 480 Temporarily Unavailable 1.80 s later as a result',
        ],
      ],
      [
        'one behind the other, by a clock that is late on the way',
        [
          on('A>P', refused(unavailable, 4)),
          on('P>Q', refused(unavailable, 1.9), 1.8),
          on('Q>B', refused('486 Busy Here', 1.6)),
        ],
        [
          'Leg A was rejected with 480 Temporarily Unavailable 0.300 s later as a result',
          'Leg A was rejected with 480 Temporarily Unavailable 2.40 s later as a result',
        ],
      ],
    ])('%s', (_name, legs, expected) => {
      expect(effects(...legs)).toEqual(expected)
    })
  })

  test('that fork are hung up by the BYE of the dialog that was kept', () => {
    const rejectedFork: Written[] = [
      { ...ok, seconds: 2.05, tags: ['a', 'c'] },
      { ...bye, seconds: 2.2, tags: ['a', 'c'] },
    ]
    const forked = [...call.slice(0, 3), ...rejectedFork, { ...bye, seconds: 62.03, cseq: '3 BYE' }]
    expect(ofWhole(on('A>P', call), on('P>B', forked))).toEqual([
      'info: The hangup came from leg A: there the caller (203.0.113.7:5060) hung up first, and leg B was hung up 0.030 s later. [RFC 3261 §15]',
    ])
  })

  test('that failed before another leg was answered are notes', () => {
    const legs = [on('A>P', call), on('P>B', busy, 0.1), on('P>B', call, 0.5)].map((messages, index) => ({
      name: 'ABC'.charAt(index),
      capture: createCapture(messages),
    }))
    const findings = findSipFindings(toMultiLegLadder(legs))
    expect(findings.filter(({ severity }) => severity === 'bad' || severity === 'warn')).toEqual([])
    expect(findings.map(({ text }) => text)).toContain(
      'Leg B to the called party (198.51.100.4:5060) was tried, too (486 Busy Here). Another leg was answered.',
    )
  })

  test('are shown in chronological order on shared lanes, with findings per leg', () => {
    const whole = drawn(on('A>P', call), on('P>B', byCalled, 1))
    expect(whole.lanes.map(({ host }) => host)).toEqual(['203.0.113.7:5060', '10.0.0.9:5060', '198.51.100.4:5060'])
    expect(whole.arrows.slice(0, 4).map(({ leg, title }) => `${leg} ${title}`)).toEqual([
      '0 INVITE',
      '1 INVITE',
      '0 200 OK',
      '0 ACK',
    ])
    expect(whole.arrows.map((arrow) => describeArrow(whole, arrow))).toContain(
      'Leg B: INVITE from 10.0.0.9:5060 to 198.51.100.4:5060, 1.00 s',
    )
    const findings = findSipFindings(whole)
    expect(findings.map(({ leg }) => leg)).toEqual([undefined, 0, 0, 0, 1, 1, 1, 1])
    const legsOfArrows = ({ arrows }: (typeof findings)[number]) => arrows.map((id) => whole.arrows[id]?.leg)
    expect(findings.every((one) => one.leg === undefined || legsOfArrows(one).every((leg) => leg === one.leg))).toBe(
      true,
    )
    expect(findSipFindings(toMultiLegLadder([]))).toEqual([])
  })
})

describe('registrations', () => {
  const ask = ['WWW-Authenticate: Digest realm="b.example", nonce="n"']
  const authorization = ['Authorization: Digest username="a", realm="b.example"']
  const register = (number: number, headers: string[] = []): Written => ({
    seconds: number,
    way: 'A>B',
    start: 'REGISTER sip:b.example',
    cseq: `${number} REGISTER`,
    headers: headers.some((one) => one.startsWith('Contact')) ? headers : ['Contact: <sip:a@203.0.113.7>', ...headers],
  })
  const response = (number: number, status: string, headers: string[] = []): Written => ({
    ...register(number, headers),
    seconds: number + 0.1,
    way: 'B>A',
    start: `SIP/2.0 ${status}`,
  })
  const [user, registrar] = ['203.0.113.7:5060', '198.51.100.4:5060']

  test.each<[string, Written[], string[]]>([
    [
      'taken',
      [
        register(1),
        response(1, '401 Unauthorized', ask),
        register(2, [...authorization, 'Contact: <sip:a@203.0.113.7>']),
        response(2, '200 OK', ['Contact: <sip:a@10.0.0.9>;expires=60, <sip:a@203.0.113.7>;expires=300']),
      ],
      [`good: ${registrar} accepted the registration of ${user} (200 OK, for 300 s). [RFC 3261 §10.3]`],
    ],
    [
      'taken again and again',
      [1, 2, 3].flatMap((n) => [register(n), response(n, '200 OK', ['Expires: 60'])]),
      [
        `good: ${registrar} accepted the registration of ${user} (200 OK, for 60 s). It was accepted 3 times in total. [RFC 3261 §10.3]`,
      ],
    ],
    [
      'taken back',
      [register(1, ['Contact: *', 'Expires: 0']), response(1, '200 OK')],
      [`info: ${user} removed its registration with ${registrar} (200 OK). [RFC 3261 §10.2.2]`],
    ],
    [
      'with a password that is wrong',
      [register(1), response(1, '401 Unauthorized', ask), register(2, authorization), response(2, '403 Forbidden')],
      [
        `bad: ${registrar} rejected the REGISTER with 403 Forbidden: it does not allow the request, even with credentials. The REGISTER contained credentials, so the password is wrong or the user is not allowed to register (§10.3). [RFC 3261 §21.4.4]`,
      ],
    ],
    [
      'never answered',
      again(register(1), 1, 1.5, 2.5),
      [`bad: ${registrar} never answered the REGISTER, sent 3 times. [RFC 3261 §17.1.2.2]`],
    ],
  ])('%s', (_name, messages, expected) => {
    expect(analyze(messages)).toEqual(expected)
  })
})

test.each(['constructor', '__proto__', 'toString'])(
  'does not look up the name of a member of every object: %s',
  (name) => {
    const formats = { formats: `${name} 0` }
    const offer: Written = { ...invite, sdp: audio([], formats) }
    const answer: Written = { ...ok, sdp: audio([], formats) }
    expect(analyze([offer, answer, ack, bye, byeOk])).toContainEqual(expect.stringContaining(`${name}, PCMU`))
    const rejection: Written = {
      ...ok,
      start: 'SIP/2.0 486 Busy Here',
      sdp: [],
      headers: [`Reason: Q.850;cause=21;location=${name}`, `X-Reason: ${name}`],
    }
    expect(analyze([invite, rejection, ack])).toContainEqual(
      expect.stringContaining(`Q.850 cause 21, call rejected. X-Reason: ${name}.`),
    )
    const messages = [{ ...written(invite), srcIp: name }]
    expect(toLadder({ total: 1, data: { messages } }).lanes[0]?.name).toBeUndefined()
  },
)

describe('the end of an answered call', () => {
  const answeredCall = [invite, ok, ack]
  const unknownCall = 'SIP/2.0 481 Call/Transaction Does Not Exist'
  const request = (seconds: number, cseq: string, way: Written['way'] = 'A>B'): Written => ({
    seconds,
    way,
    start: `${cseq.split(' ')[1]} sip:2@b.example`,
    cseq,
    tags: way === 'A>B' ? ['a', 'b'] : ['b', 'a'],
  })
  const response = (seconds: number, start: string, { cseq, way, tags }: Written): Written => ({
    seconds,
    way: way === 'A>B' ? 'B>A' : 'A>B',
    start,
    ...(cseq === undefined ? {} : { cseq }),
    ...(tags === undefined ? {} : { tags }),
  })
  const endings = (...messages: readonly Written[]) =>
    findSipFindings(ladder([...answeredCall, ...messages])).flatMap(({ ending }) => ending?.text ?? [])
  const byeOfA = request(40, '9 BYE')
  const byeOfB = request(40, '1 BYE', 'B>A')

  test.each(['INVITE', 'UPDATE'])('is a side that no longer knew the call when it got a %s', (method) => {
    const refresh = request(30, `8 ${method}`)
    const name = method === 'INVITE' ? 're-INVITE' : method
    const lost = `The called party no longer knew the call: it responded to the ${name} with 481 Call/Transaction Does Not Exist.`
    expect(endings(refresh, response(30.1, unknownCall, refresh), byeOfA, response(40.1, unknownCall, byeOfA))).toEqual(
      [lost],
    )
    expect(
      endings(refresh, response(30.1, 'SIP/2.0 488 No', refresh), byeOfA, response(40.1, 'SIP/2.0 200 OK', byeOfA)),
    ).toEqual([])
  })

  test('is a side that no longer knew the call when the other one hung up', () => {
    expect(endings(byeOfA, response(40.1, unknownCall, byeOfA))).toEqual([
      'The caller hung up, and the called party no longer knew the call.',
    ])
    expect(endings(byeOfB, response(40.1, unknownCall, byeOfB))).toEqual([
      'The called party hung up, and the caller no longer knew the call.',
    ])
  })

  test('is not stated for a BYE that crosses another one, or of which 481 is no response', () => {
    expect(endings(byeOfA, byeOfB, response(40.1, unknownCall, byeOfA), response(40.1, unknownCall, byeOfB))).toEqual(
      [],
    )
    expect(endings(byeOfA, response(40.1, 'SIP/2.0 200 OK', byeOfA))).toEqual([])
    expect(endings(byeOfB, { ...byeOfA, seconds: 45 }, response(45.1, unknownCall, byeOfA))).toEqual([])
    const later = { ...byeOfB, seconds: 40.5 }
    expect(endings(byeOfA, response(40.1, unknownCall, byeOfA), later)).toEqual([])
  })

  test('is that of the dialog which was answered', () => {
    const ofFork: Written = { ...byeOfA, tags: ['a', 'c'] }
    expect(endings(ofFork, response(40.1, unknownCall, ofFork))).toEqual([])
    const early = request(1, '2 UPDATE')
    const messages = [invite, { ...ok, seconds: 0.5, start: 'SIP/2.0 180 Ringing' }, early]
    const findings = findSipFindings(ladder([...messages, response(1.1, unknownCall, early), ok, ack]))
    expect(findings.filter(({ ending }) => ending !== undefined)).toEqual([])
  })

  test('is stated once if a proxy passed on the BYE and its refusal', () => {
    const toProxy: Written = { ...byeOfA, way: 'A>P' }
    const toCallee: Written = { ...byeOfA, seconds: 40.01, way: 'P>B' }
    const [fromCallee, fromProxy] = [
      { ...response(40.05, unknownCall, byeOfA), way: 'B>P' as const },
      { ...response(40.06, unknownCall, byeOfA), way: 'P>A' as const },
    ]
    expect(endings(toProxy, toCallee, fromCallee, fromProxy)).toHaveLength(1)
  })

  test('is a session timer that was running out', () => {
    const timed = { ...ok, headers: ['Session-Expires: 90;refresher=uas'] }
    const findings = findSipFindings(ladder([invite, timed, ack, request(70, '2 BYE')]))
    expect(findings.flatMap(({ ending }) => ending?.text ?? [])).toEqual([
      'The caller hung up when the session timer of 90 s was running out.',
    ])
  })

  test.each<[string, boolean]>([
    ['SIP;cause=408;text="Session timer expired"', true],
    ['Q.850;cause=102;text="SESSION_TIMEOUT"', true],
    ['Q.850;cause=16;text="Session timer expired"', false],
    ['SIP;cause=500;text="Session was lost"', false],
  ])('is a session that expired only if its reason says so: %s', (reason, isStated) => {
    const text = /"(.+)"/.exec(reason)?.[1]
    const ofSession = endings({ ...byeOfA, headers: [`Reason: ${reason}`] }).filter((one) => !one.includes('failure'))
    expect(ofSession).toEqual(isStated ? [`The caller hung up, and gave the reason “${text}”.`] : [])
  })
})
