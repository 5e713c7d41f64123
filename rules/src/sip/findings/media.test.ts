import { describe, expect, test } from 'vitest'
import { toLadder } from '../ladder.ts'
import { findSipFindings } from './findings.ts'

/** Findings about media, keys, and transfers that the corpus of call flows (testkit/call-flows) has no file for. */

interface Written {
  from?: 'A' | 'B'
  start: string
  cseq?: string
  headers?: readonly string[]
  /** Lines of a session description, or another body after a Content-Type in `headers`. */
  body?: readonly string[]
  at?: number
  /** Tags of From and To. */
  tags?: readonly [string, string]
  cut?: number
  hop?: readonly [string, string]
}

const addresses = { A: '203.0.113.7', B: '198.51.100.4' }

/** Returns the findings about messages, one second apart. */
const findAll = (...messages: readonly Written[]) => {
  const written = messages.map(
    ({ from = 'A', start, cseq, headers = [], body = [], at, tags, cut = 0, hop }, index) => {
      const text = body.length === 0 ? '' : `${body.join('\r\n')}\r\n`
      const [method = ''] = start.split(' ')
      const isRequest = method !== 'SIP/2.0'
      const [fromTag, toTag] = tags ?? ['a', start.startsWith('INVITE') ? '' : 'b']
      const hasType = headers.some((one) => one.startsWith('Content-Type'))
      const [source, destination] = hop ?? (from === 'A' ? [addresses.A, addresses.B] : [addresses.B, addresses.A])
      return {
        micro_ts: 1_700_000_000_000_000 + Math.round((at ?? index) * 1e6),
        srcIp: source,
        srcPort: 5060,
        dstIp: destination,
        dstPort: 5060,
        raw: [
          isRequest ? `${start} SIP/2.0` : start,
          'Via: SIP/2.0/UDP x;branch=z9hG4bK1',
          `From: <sip:1@a.example>;tag=${fromTag}`,
          `To: <sip:2@b.example>${toTag === '' ? '' : `;tag=${toTag}`}`,
          'Call-ID: x',
          `CSeq: ${cseq ?? `1 ${isRequest ? method : 'INVITE'}`}`,
          ...headers,
          ...(text === '' || hasType ? [] : ['Content-Type: application/sdp']),
          `Content-Length: ${text.length}`,
          '',
          text.slice(0, text.length - cut),
        ].join('\r\n'),
      }
    },
  )
  const ladder = toLadder({ total: written.length, data: { messages: written } })
  return findSipFindings(ladder)
}

const analyze = (...messages: readonly Written[]): string[] =>
  findAll(...messages).map(({ severity, rule, text }) => `${severity} ${rule}: ${text}`)

const sdp = (media = 'audio 4000 RTP/AVP 0 101', ...more: string[]): string[] => [
  'v=0',
  'o=- 1 1 IN IP4 203.0.113.7',
  's=-',
  'c=IN IP4 203.0.113.7',
  't=0 0',
  `m=${media}`,
  'a=rtpmap:101 telephone-event/8000',
  ...more,
]

const invite: Written = { start: 'INVITE sip:2@b.example', body: sdp() }
const ok: Written = { from: 'B', start: 'SIP/2.0 200 OK', body: sdp() }
const ack: Written = { start: 'ACK sip:2@b.example' }
const bye = (...headers: string[]): Written => ({ start: 'BYE sip:2@b.example', cseq: '9 BYE', headers, at: 40 })
const byeOk: Written = { from: 'B', start: 'SIP/2.0 200 OK', cseq: '9 BYE', at: 40.1 }
const answered = [invite, ok, ack]

const request = (method: string, number: number, more: Partial<Written> = {}): Written => ({
  start: `${method} sip:2@b.example`,
  cseq: `${number} ${method}`,
  tags: ['a', 'b'],
  ...more,
})
const response = (status: string, method: string, number: number, more: Partial<Written> = {}): Written => ({
  from: 'B',
  start: `SIP/2.0 ${status}`,
  cseq: `${number} ${method}`,
  ...more,
})

const toRules = (findings: readonly string[]): string[] => findings.map((one) => one.split(' ')[1]?.slice(0, -1) ?? '')

describe('a refused change', () => {
  test.each(['488 Not Acceptable Here', '606 Not Acceptable', '415 Unsupported Media Type'])(
    'leaves the session as it was after %s',
    (status) => {
      const found = analyze(
        ...answered,
        request('INVITE', 2, { body: sdp('audio 4000 RTP/AVP 18', 'a=sendonly') }),
        response(status, 'INVITE', 2),
        { ...ack, cseq: '2 ACK' },
      )
      expect(toRules(found)).not.toContain('codecs')
      expect(toRules(found)).not.toContain('hold')
      expect(found).toContainEqual(
        `info refusedChange: The called party (198.51.100.4:5060) did not accept the change of media with ${status}. The session stays unchanged.`,
      )
      expect(found).toContainEqual(expect.stringMatching(/^good agreed: Audio in both directions was agreed/))
    },
  )

  test('to fax lets the fax go on as audio', () => {
    const found = analyze(
      ...answered,
      request('INVITE', 2, { body: sdp('image 4002 udptl t38') }),
      response('488 Not Acceptable Here', 'INVITE', 2),
    )
    expect(toRules(found)).not.toContain('refusedChange')
    expect(found).toContainEqual(
      'info fax: The called party (198.51.100.4:5060) refused to switch the call to fax (T.38) with 488 Not Acceptable Here. The session stays unchanged, and the fax can continue as audio.',
    )
  })
})

describe('a refused offer', () => {
  test('names the codecs of both sides', () => {
    const found = analyze(
      invite,
      { ...ok, start: 'SIP/2.0 488 Not Acceptable Here', body: sdp('audio 9 RTP/SAVP 18') },
      ack,
    )
    expect(found).toContainEqual(
      'bad codecs: The called party (198.51.100.4:5060) did not accept the media offered by the caller (203.0.113.7:5060): PCMU. It can do G729 over RTP/SAVP (encrypted).',
    )
  })

  test('is a note if a later attempt is answered', () => {
    const found = analyze(
      { ...invite, body: sdp('audio 4000 RTP/SAVP 0', 'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:abc') },
      { ...ok, start: 'SIP/2.0 488 Not Acceptable Here', body: [] },
      ack,
      { ...invite, cseq: '2 INVITE' },
      { ...ok, cseq: '2 INVITE' },
      { ...ack, cseq: '2 ACK' },
    )
    expect(found).toContainEqual(
      expect.stringMatching(/^info codecs: .* over RTP\/SAVP.*A later attempt was answered\.$/),
    )
  })

  test('with 415 is about the type of the body', () => {
    const found = analyze(
      {
        ...invite,
        headers: ['Content-Type: multipart/mixed;boundary=x'],
        body: ['--x', 'Content-Type: application/sdp', '', ...sdp(), '--x--'],
      },
      { ...ok, start: 'SIP/2.0 415 Unsupported Media Type', body: [], headers: ['Accept: application/sdp'] },
      ack,
    )
    expect(found).toContainEqual(
      'bad codecs: The called party (198.51.100.4:5060) does not accept the type of the body, multipart/mixed;boundary=x. It accepts application/sdp.',
    )
  })
})

describe('an early dialog', () => {
  const early: Written = { from: 'B', start: 'SIP/2.0 183 Session Progress', body: sdp(undefined, 'a=sendonly') }

  test('of a call that is not answered is not judged', () => {
    expect(analyze(invite, early, { ...ok, start: 'SIP/2.0 480 Temporarily Unavailable', body: [] }, ack)).toEqual([
      expect.stringMatching(/ rejected: /),
    ])
    const update = request('UPDATE', 2, { body: sdp(undefined, 'a=inactive') })
    const updated = response('200 OK', 'UPDATE', 2, { body: sdp(undefined, 'a=inactive') })
    expect(toRules(analyze(invite, early, update, updated))).not.toContain('hold')
  })

  test('does not answer the offer for the dialog that was answered', () => {
    const found = analyze(invite, { ...early, tags: ['a', 'fork'] }, { ...ok, body: [] }, ack)
    expect(found).toContainEqual(expect.stringContaining('bad noAnswerToOffer: '))
  })
})

describe('the roles of DTLS', () => {
  const dtls = (role: string): string[] => [
    ...sdp('audio 4000 UDP/TLS/RTP/SAVPF 0 101'),
    'a=fingerprint:sha-256 0B:30:55:7A',
    ...(role === '' ? [] : [`a=setup:${role}`]),
  ]
  const bad = (offered: string, role: string): string[] =>
    analyze({ ...invite, body: dtls(offered) }, { ...ok, body: dtls(role) }, ack)
      .filter((one) => one.startsWith('bad '))
      .map((one) => one.replace(/^.* answers /, ''))

  test.each([
    ['actpass', 'active'],
    ['actpass', 'passive'],
    ['active', 'passive'],
    ['passive', 'active'],
    ['', 'active'],
    ['actpass', ''],
    ['actpass', 'actpass'],
    ['active', 'actpass'],
    ['passive', 'actpass'],
  ])('%s and %s prove no error', (offered, role) => expect(bad(offered, role)).toEqual([]))

  test.each([
    ['active', 'active'],
    ['passive', 'passive'],
  ])('%s and %s do not fit', (offered, role) =>
    expect(bad(offered, role)).toEqual([
      `a=setup:${offered} with a=setup:${role}, so the keys of the audio are never exchanged.`,
    ]),
  )
})

describe('parameters of H.264', () => {
  const video = (...formats: string[]): string[] => [
    ...sdp(),
    `m=video 4002 RTP/AVP ${formats.map((_one, at) => 97 + at).join(' ')}`,
    ...formats.flatMap((parameters, at) => [
      `a=rtpmap:${97 + at} H264/90000`,
      ...(parameters === '' ? [] : [`a=fmtp:${97 + at} ${parameters}`]),
    ]),
  ]
  const warnings = (offered: string[], inAnswer: string[]): string[] =>
    analyze({ ...invite, body: video(...offered) }, { ...ok, body: video(...inAnswer) }, ack).filter((one) =>
      /^(?:warn|bad) /.test(one),
    )

  test.each([
    [['profile-level-id=42e01f;packetization-mode=1'], ['packetization-mode=1; profile-level-id=42E00D']],
    [['profile-level-id=42e01f'], ['profile-level-id=4D801F;packetization-mode=0']],
    [['profile-level-id=42e01f'], ['profile-level-id=58c01f']],
    [['profile-level-id=42001f'], ['profile-level-id=58801f']],
    [['profile-level-id=640c1f', 'profile-level-id=42e01f;packetization-mode=1'], ['profile-level-id=640c34']],
    [['profile-level-id=42e01f;packetization-mode=1'], ['']],
    [[''], ['profile-level-id=4d001e']],
    [['profile-level-id=42e01f;packetization-mode=1'], ['profile-level-id=42801f']],
    [['profile-level-id=42e01f'], ['profile-level-id=zzzzzz']],
  ])('%j and %j are the same', (offered, inAnswer) => expect(warnings(offered, inAnswer)).toEqual([]))

  test.each([
    [['profile-level-id=42e01f;packetization-mode=1'], ['profile-level-id=42e01f;packetization-mode=0']],
    [['profile-level-id=42e01f'], ['profile-level-id=64001f']],
    [['profile-level-id=42e01f'], ['profile-level-id=4d001f']],
    [['profile-level-id=640c1f'], ['profile-level-id=64001f']],
  ])('%j and %j differ', (offered, inAnswer) => {
    const found = warnings(offered, inAnswer)
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(/^warn badAnswer: .* answers H264 with .* was offered\. Profile and packetization mode/)
  })
})

describe('an UPDATE', () => {
  test('with an answer that its offer does not allow is reported', () => {
    const found = analyze(
      ...answered,
      request('UPDATE', 2, { body: sdp('audio 4000 RTP/AVP 8 101') }),
      response('200 OK', 'UPDATE', 2, {
        body: sdp('audio 4000 RTP/SAVP 18 101', 'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:x'),
      }),
    )
    expect(found).toContainEqual(expect.stringMatching(/^bad badChange: .* answers RTP\/AVP with RTP\/SAVP/))
    expect(found).toContainEqual(expect.stringMatching(/^bad codecs: No codec in common: .* offers PCMA, .* G729/))
  })
})

describe('a refused request that is repeated', () => {
  const refused = [request('REFER', 2), response('503 Service Unavailable', 'REFER', 2)]
  const severities = (...messages: Written[]): string[] =>
    analyze(...answered, ...refused, ...messages).filter((one) => one.includes('rejected the REFER'))

  test.each([
    ['its response', [request('REFER', 3)]],
    ['the request', [response('202 Accepted', 'REFER', 3)]],
  ])('is a note if the capture lacks %s', (_what, messages) => {
    expect(severities(...messages)).toEqual([
      expect.stringMatching(/^info.* It was repeated, and what became of it was not captured completely\.$/),
    ])
  })

  test('is a problem if it is refused again, or not repeated', () => {
    const again = [request('REFER', 3), response('503 Service Unavailable', 'REFER', 3)]
    expect(severities(...again)).toEqual([expect.stringMatching(/^warn/), expect.stringMatching(/^warn/)])
    expect(severities()).toEqual([expect.stringMatching(/^warn/)])
  })
})

describe('the streams of a change', () => {
  const video = (...more: string[]): string[] => [...sdp(), 'm=video 4002 RTP/AVP 34', ...more]
  const fax = 'm=image 4004 udptl t38'
  const warnings = (offered: string[], previous = video(), agreed = previous): string[] =>
    analyze(
      { ...invite, body: previous },
      { ...ok, body: agreed },
      ack,
      request('INVITE', 2, { body: offered }),
      response('200 OK', 'INVITE', 2, { body: offered }),
    ).filter((one) => one.startsWith('warn '))

  test('are all of the session', () => {
    expect(warnings(sdp())).toEqual([
      'warn badChange: The caller (203.0.113.7:5060) offers 1 media stream, but the session has 2. A stream that ends keeps its place, with port 0.',
    ])
    expect(warnings([...sdp(), 'm=video 0 RTP/AVP 34'])).toEqual([])
    expect(warnings(video(fax))).toEqual([])
  })

  test('can lack one that was refused', () => {
    expect(warnings(sdp(), video(), [...sdp(), 'm=video 0 RTP/AVP 34'])).toEqual([])
  })

  test('can be one of fax instead of several, and the other way around', () => {
    expect(warnings(sdp(fax.slice(2)))).toEqual([])
    expect(warnings(sdp(), [...sdp('audio 0 RTP/AVP 0'), fax])).toEqual([])
  })
})

describe('an offer without an answer', () => {
  const missing = (...messages: Written[]): string[] =>
    analyze(...answered, ...messages).filter((one) => one.includes(' noAnswerToOffer: '))

  test.each([
    ['UPDATE', 'UPDATE'],
    ['INVITE', 're-INVITE'],
    ['PRACK', 'PRACK'],
  ])('in a change is reported: %s', (method, name) => {
    const change = request(method, 2, { headers: ['RAck: 7 1 INVITE'], body: sdp() })
    expect(missing(change, response('200 OK', method, 2))).toEqual([
      `warn noAnswerToOffer: The called party (198.51.100.4:5060) accepted the ${name} with 200 OK, without an answer to the media that the caller (203.0.113.7:5060) offered, so the two sides may use different ones.`,
    ])
    expect(missing(change, response('200 OK', method, 2, { body: sdp() }))).toEqual([])
    expect(missing(change, response('491 Request Pending', method, 2))).toEqual([])
    expect(missing(request(method, 2), response('200 OK', method, 2))).toEqual([])
  })

  test('is not what a PRACK answers to a reliable response', () => {
    const prack = [request('PRACK', 2, { headers: ['RAck: 7 1 INVITE'], body: sdp() }), response('200 OK', 'PRACK', 2)]
    const reliable = { headers: ['Require: 100rel', 'RSeq: 7'], body: sdp() }
    const early: Written = { from: 'B', start: 'SIP/2.0 183 Session Progress', ...reliable }
    for (const before of [[{ ...invite, body: [] }, early], []])
      expect(toRules(analyze(...before, ...prack, { ...ok, body: [] }, ack))).not.toContain('noAnswerToOffer')
  })

  test('of the other side is reported when the ACK of a re-INVITE has none', () => {
    const change = [request('INVITE', 2), response('200 OK', 'INVITE', 2, { body: sdp() })]
    expect(missing(...change, { ...ack, cseq: '2 ACK' })).toEqual([
      expect.stringMatching(/^warn .* confirmed a re-INVITE without answering the media that the called party/),
    ])
    expect(missing(...change, { ...ack, cseq: '2 ACK', body: sdp() })).toEqual([])
    expect(missing(...change)).toEqual([])
  })

  test('of a change leaves what was agreed at the beginning', () => {
    const found = analyze(...answered, request('UPDATE', 2, { body: sdp() }), response('200 OK', 'UPDATE', 2))
    expect(found).toContainEqual(expect.stringMatching(/^good agreed: /))
  })
})

describe('an offer', () => {
  test('in a PRACK changes the audio before the call is answered', () => {
    const reliable = ['Require: 100rel', 'RSeq: 7']
    const found = analyze(
      invite,
      { from: 'B', start: 'SIP/2.0 183 Session Progress', headers: reliable, body: sdp(undefined, 'a=inactive') },
      request('PRACK', 2, { headers: ['RAck: 7 1 INVITE'], body: sdp('audio 5000 RTP/AVP 8 101') }),
      response('200 OK', 'PRACK', 2, { body: sdp('audio 6000 RTP/AVP 8 101') }),
      { ...ok, body: [] },
      ack,
    )
    expect(toRules(found)).not.toContain('oneWay')
    expect(found).toContainEqual(
      'good agreed: Audio in both directions was agreed between 203.0.113.7:5000 and 203.0.113.7:6000: PCMA.',
    )
  })

  test('or its answer that was not captured completely is not judged', () => {
    const video = [...sdp(), 'm=video 4002 RTP/AVP 31']
    expect(toRules(analyze({ ...invite, body: video }, { ...ok, body: video, cut: 24 }, ack))).toEqual([
      'answered',
      'openEnded',
      'unreadable',
    ])
    expect(toRules(analyze(invite, { ...ok, cut: 2 }, ack))).toContain('agreed')
  })

  test('with a body that cannot be read is not missed', () => {
    const type = ['Content-Type: application/pkcs7-mime']
    expect(toRules(analyze(invite, { ...ok, headers: type, body: ['MII'] }, ack))).not.toContain('noAnswerToOffer')
  })

  test('is judged once if a proxy repeats it on the next hop', () => {
    const next = ['198.51.100.4', '192.0.2.9'] as const
    const back = ['192.0.2.9', '198.51.100.4'] as const
    const answer = { ...ok, body: sdp('audio 4000 RTP/SAVP 0') }
    const found = analyze(invite, { ...invite, hop: next }, { ...answer, hop: back }, answer, ack, {
      ...ack,
      hop: next,
    })
    expect(toRules(found).filter((rule) => rule === 'badAnswer')).toHaveLength(1)
  })
})

describe('a change on two hops', () => {
  const next = ['198.51.100.4', '192.0.2.9'] as const
  const back = ['192.0.2.9', '198.51.100.4'] as const
  const key = 'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:abc'
  const secure = (media: string, ...more: string[]) => sdp(media.replace('RTP/AVP', 'RTP/SAVP'), key, ...more)
  const audio = 'audio 4000 RTP/AVP 0 101'
  /** The second hop is encrypted. */
  const begun: Written[] = [
    { ...invite, at: 0 },
    { ...invite, body: secure(audio), hop: next, at: 0.1 },
    { ...ok, body: secure(audio), hop: back, at: 1 },
    { ...ok, at: 1.1 },
    { ...ack, at: 1.2 },
    { ...ack, hop: next, at: 1.3 },
  ]
  const change = (plain: string[], encrypted: string[]): Written[] => [
    request('INVITE', 2, { body: plain, at: 10 }),
    request('INVITE', 2, { body: encrypted, hop: next, at: 10.1 }),
    response('200 OK', 'INVITE', 2, { body: encrypted, hop: back, at: 10.2 }),
    response('200 OK', 'INVITE', 2, { body: plain, at: 10.3 }),
  ]

  test.each([
    ['hold', change(sdp(audio, 'a=inactive'), secure(audio, 'a=inactive'))],
    ['fax', change(sdp('image 4002 udptl t38'), [...sdp('image 4002 udptl t38'), 'm=audio 0 RTP/SAVP 0'])],
  ])('is reported once: %s', (rule, messages) => {
    const found = analyze(...begun, ...messages)
    expect(toRules(found).filter((one) => one === 'agreed')).toHaveLength(2)
    expect(toRules(found).filter((one) => one === rule)).toHaveLength(1)
  })
})

describe('hold', () => {
  const change = (number: number, offer: string, answer: string, at: number): Written[] => [
    request('INVITE', number, { body: sdp(undefined, offer), at }),
    response('200 OK', 'INVITE', number, { body: sdp(undefined, answer), at: at + 0.1 }),
    { ...ack, cseq: `${number} ACK`, at: at + 0.2 },
  ]

  test('is reported once until the call is resumed', () => {
    const found = analyze(
      ...answered,
      ...change(2, 'a=sendonly', 'a=recvonly', 5),
      ...change(3, 'a=sendonly', 'a=recvonly', 10),
      ...change(4, 'a=sendrecv', 'a=sendrecv', 15),
      ...change(5, 'a=inactive', 'a=inactive', 20),
    )
    expect(found.filter((one) => one.includes(' hold: ')).map((one) => one.slice(0, 23))).toEqual([
      'info hold: At 5.00 s th',
      'info hold: At 20.00 s t',
    ])
  })

  const holds = (...messages: Written[]): string[] =>
    analyze(...answered, ...messages)
      .filter((one) => one.includes(' hold: '))
      .map((one) => one.replace(/ put the call on hold.*/, ''))

  test('is not reported again if the other side refreshes the session', () => {
    const refresh: Written[] = [
      { ...request('INVITE', 1, { body: sdp(undefined, 'a=recvonly'), at: 10 }), from: 'B', tags: ['b', 'a'] },
      {
        ...response('200 OK', 'INVITE', 1, { body: sdp(undefined, 'a=sendonly'), at: 10.1 }),
        from: 'A',
        tags: ['b', 'a'],
      },
    ]
    expect(holds(...change(2, 'a=sendonly', 'a=recvonly', 5), ...refresh)).toEqual([
      'info hold: At 5.00 s the caller (203.0.113.7:5060)',
    ])
  })

  test('of one side remains when the other side resumes the call', () => {
    const both: Written[] = [
      { ...request('INVITE', 1, { body: sdp(undefined, 'a=inactive'), at: 10 }), from: 'B', tags: ['b', 'a'] },
      {
        ...response('200 OK', 'INVITE', 1, { body: sdp(undefined, 'a=inactive'), at: 10.1 }),
        from: 'A',
        tags: ['b', 'a'],
      },
    ]
    expect(
      holds(...change(2, 'a=sendonly', 'a=recvonly', 5), ...both, ...change(3, 'a=sendrecv', 'a=sendonly', 15)),
    ).toEqual([
      'info hold: At 5.00 s the caller (203.0.113.7:5060)',
      'info hold: At 10.00 s the called party (198.51.100.4:5060)',
    ])
  })

  test('is not what fax does to the audio', () => {
    const withFax = [...sdp('audio 0 RTP/AVP 0'), 'm=image 4002 udptl t38']
    const faxed = [request('INVITE', 2, { body: withFax }), response('200 OK', 'INVITE', 2, { body: withFax })]
    expect(holds(...faxed)).toEqual([])
    expect(toRules(analyze(...answered, ...faxed))).toContain('fax')
  })

  test('explains that no media arrived', () => {
    const timeout = bye('Reason: Q.850;cause=16;text="RTP timeout"')
    const found = analyze(...answered, ...change(2, 'a=inactive', 'a=inactive', 5), timeout, byeOk)
    expect(found).toContainEqual(
      expect.stringMatching(/^bad noMediaReceived: .* At that time, the call was on hold\.$/),
    )
  })
})

describe('the end of a call', () => {
  test.each([
    'Reason: SIP;cause=200;text="RTP Timeout"',
    'Reason: Q.850;cause=34;text="local, RTP Broken Connection"',
    'Reason: Q.850;cause=16, FreeSWITCH;cause=604;text="MEDIA_TIMEOUT"',
    'Reason: Q.850;cause=16;text="6f3d9c51-8a20-4b44-9f8e-2c1b7d0e5a63;ICE connectivity checks failed"',
    'Reason: Q.850;cause=16;text="Media inactivity timeout"',
    'Reason: Q.850;cause=127;text="No RTP received"',
    'Reason: SIP;cause=500;text="no incoming audio"',
    'Reason: Q.850;cause=102;text="Loss of RTP"',
    'Reason: Q.850;cause=102;text="RTP loss 100%"',
    'Reason: Q.850;cause=102;text="RTCP timeout"',
    'Reason: SIP;cause=580;text="SRTP packets not received"',
    'Warning: 399 sbc.example "DTLS handshake failed"',
    'X-Twilio-Error: 32014 Call is terminated because of no audio received',
    'P-RTP-Stat: PS=10,OS=1600,PR=0,OR=0,PL=0',
    'X-RTP-Stat: CS=0;PS=1154;PR=0;ER=0',
    'RTP-RxStat: Dur=38,Pkt=0,Oct=0,LatePkt=0',
  ])('says that no media arrived: %s', (header) => {
    const found = analyze(...answered, bye(header), byeOk)
    expect(toRules(found)).toContain('noMediaReceived')
    expect(toRules(found)).not.toContain('agreed')
  })

  test('is quoted with the text that says so', () => {
    expect(
      analyze(...answered, bye('Reason: SIP;cause=200;text="OK", Q.850;cause=34;text="RTP Broken Connection"')),
    ).toContainEqual(expect.stringContaining('its reason is “RTP Broken Connection”'))
  })

  test('names missing reports as such, because media can arrive without them', () => {
    expect(analyze(...answered, bye('Reason: Q.850;cause=102;text="RTCP timeout"'), byeOk)).toContainEqual(
      expect.stringContaining('ended the call because of missing reports about media (RTCP)'),
    )
  })

  test.each([
    'Reason: Q.850;cause=16;text="Normal call clearing"',
    'Reason: SIP;cause=200;text="Call completed elsewhere"',
    'Reason: SIP;cause=415;text="Unsupported Media Type, no media format"',
    'Reason: Q.850;cause=16;text="media server released the call"',
    'Reason: Q.850;cause=41;text="no answer from media server"',
    'Reason: Q.850;cause=47;text="media resource allocation failed"',
    'X-Reason: speech recognition timeout',
    'X-Reason: voice mail timed out',
    'X-Reason: audio file missing',
    'Reason: SIP;cause=200;text="ICE restarted, no audio loss"',
    'Reason: Q.850;cause=16;text="Normal; audio loss 0%"',
    'Reason: Q.850;cause=16;text="Max audio duration expired"',
    'Reason: Q.850;cause=16;text="voice inactivity timer"',
    'Reason: SIP;cause=200;text="Media stopped by user"',
    'Reason: SIP;cause=200;text="Audio conference timer expired"',
    'Reason: SIP;cause=200;text="Audio meeting ended, time limit expired"',
    'Reason: Q.850;cause=16;text="No media path needed, call released"',
    'Reason: Q.850;cause=16;text="Audio call released, session timer expired"',
    'Reason: SIP;cause=200;text="Audio was fine; subscription expired"',
    'Reason: SIP;cause=200;text="Voice message time out"',
    'P-RTP-Stat: PS=1010,OS=161600,PR=1008,OR=161280,PL=2',
    'RTP-RxStat: Dur=38,Pkt=1900,Oct=304000',
  ])('says nothing of media: %s', (header) => {
    expect(toRules(analyze(...answered, bye(header), byeOk))).toContain('agreed')
  })

  test('of a short call can have statistics without packets', () => {
    const short = { ...bye('P-RTP-Stat: PS=3,OS=480,PR=0,OR=0,PL=0'), at: 2.5 }
    expect(toRules(analyze(...answered, short, { ...byeOk, at: 2.6 }))).toContain('agreed')
  })

  const silent = bye('P-RTP-Stat: PS=3090,OS=494400,PR=0,OR=0,PL=0')
  const oneWay = (direction: string) => ({ body: sdp('audio 4000 RTP/AVP 0', `a=${direction}`) })

  test.each<[string, Written[]]>([
    ['only speaks, as for paging', [{ ...invite, ...oneWay('sendonly') }, { ...ok, ...oneWay('recvonly') }, ack]],
    [
      'sends its media to a recorder',
      [{ ...invite, headers: ['Require: siprec'] }, { ...ok, ...oneWay('recvonly') }, ack],
    ],
    ['records the media itself', [{ ...invite, headers: ['Require: siprec'], ...oneWay('sendonly') }, ok, ack]],
    ['agreed no media in the capture', [{ ...invite, body: [] }, { ...ok, body: [] }, ack]],
    [
      'was on hold until shortly before the end',
      [
        { ...invite, ...oneWay('sendonly') },
        { ...ok, ...oneWay('recvonly') },
        ack,
        { ...invite, start: 'INVITE sip:2@b.example', cseq: '2 INVITE', tags: ['a', 'b'], at: 38.5 },
        { ...ok, cseq: '2 INVITE', at: 38.6 },
        { ...ack, cseq: '2 ACK', at: 38.7 },
      ],
    ],
  ])('can have statistics without packets if the side %s', (_case, messages) => {
    expect(toRules(analyze(...messages, silent, byeOk))).not.toContain('noMediaReceived')
  })

  test('has statistics without packets of a side that was put on hold later', () => {
    const onHold: Written[] = [
      { ...invite, cseq: '2 INVITE', tags: ['a', 'b'], at: 20, ...oneWay('sendonly') },
      { ...ok, cseq: '2 INVITE', at: 20.1, ...oneWay('recvonly') },
      { ...ack, cseq: '2 ACK', at: 20.2 },
    ]
    expect(toRules(analyze(...answered, ...onHold, silent, byeOk))).toContain('noMediaReceived')
  })

  test.each([
    ['P-RTP-Stat: PS=0,OS=0,PR=1500,OR=240000,PL=0', 'P-RTP-Stat header'],
    ['X-RTP-Stat: CS=0;PS=0;PR=1500;ER=1500', 'X-RTP-Stat header'],
    ['RTP-TxStat: Dur=38,Pkt=0,Oct=0', 'RTP-TxStat header'],
  ])('says that no media were sent: %s', (header, source) => {
    const findings = findAll(...answered, bye(header), byeOk)
    expect(findings.filter(({ severity }) => severity === 'warn')).toMatchObject([
      {
        rule: 'noOutgoingMedia',
        source,
        text: expect.stringContaining('sent no media: its statistics count no sent packet.'),
      },
    ])
    expect(toRules(analyze(...answered, bye(header), byeOk))).not.toContain('noMediaReceived')
  })

  test('can have statistics without sent packets of a side that only listens', () => {
    const listening = [{ ...invite, ...oneWay('recvonly') }, { ...ok, ...oneWay('sendonly') }, ack]
    const listener = bye('P-RTP-Stat: PS=0,OS=0,PR=1500,OR=240000,PL=0')
    expect(toRules(analyze(...listening, listener, byeOk))).not.toContain('noOutgoingMedia')
    const recorder = [{ ...invite, headers: ['Require: siprec'] }, ok, ack]
    expect(toRules(analyze(...recorder, listener, byeOk))).not.toContain('noOutgoingMedia')
  })

  test.each([
    ['Reason: SIP;cause=200;text="RTP Timeout"', 'RFC 3326 §2'],
    ['Warning: 399 sbc.example "DTLS handshake failed"', 'RFC 3261 §20.43'],
    ['X-Twilio-Error: 32014 Call is terminated because of no audio received', 'X-Twilio-Error header'],
    ['P-RTP-Stat: PS=10,OS=1600,PR=0,OR=0,PL=0', 'P-RTP-Stat header'],
    ['RTP-RxStat: Dur=38,Pkt=0,Oct=0,LatePkt=0', 'RTP-RxStat header'],
  ])('names the source of what it says about media: %s', (header, source) => {
    const findings = findAll(...answered, bye(header), byeOk)
    expect(findings.find(({ rule }) => rule === 'noMediaReceived')?.source).toBe(source)
  })

  test('has statistics in the answer to the BYE', () => {
    const found = analyze(...answered, bye(), { ...byeOk, headers: ['X-RTP-Stat: PS=2000,PR=0'] })
    expect(found).toContainEqual(
      expect.stringContaining(
        'The called party (198.51.100.4:5060) received no media: its statistics count no received packet.',
      ),
    )
  })
})

describe('keys in INFO requests', () => {
  const info = (number: number, type: string, body: string): Written =>
    request('INFO', number, { headers: [`Content-Type: ${type}`], body: [body] })
  const relay = 'application/dtmf-relay'
  const withoutEvents = [
    { ...invite, body: sdp('audio 4000 RTP/AVP 0') },
    { ...ok, body: sdp('audio 4000 RTP/AVP 0') },
    ack,
  ]

  test.each([
    [relay, 'Signal=5', '1 key'],
    [relay, 'signal: *', '1 key'],
    [relay, 'Signal=11', '1 key'],
    [relay, 'Duration=160\r\nSignal= D', '1 key'],
    ['application/dtmf; charset=us-ascii', '12#', '3 keys'],
    ['application/vnd.nortelnetworks.digits', 'p=Digit-Collection\r\ny=Digits\r\nd=47', '2 keys'],
  ])('of type %s with %j are counted: %s', (type, body, count) => {
    const found = analyze(...withoutEvents, info(2, type, body), response('200 OK', 'INFO', 2))
    expect(found).toContainEqual(`info keys: The caller (203.0.113.7:5060) sent ${count} (DTMF) in INFO requests.`)
    expect(toRules(found)).not.toContain('noTones')
  })

  test('are not shown, because they can be a PIN', () => {
    const found = analyze(...withoutEvents, info(2, relay, 'Signal=9'), response('200 OK', 'INFO', 2))
    expect(found.filter((one) => one.includes('(DTMF)')).join('')).not.toContain('9')
  })

  test.each([
    [relay, 'Signal=flash'],
    ['application/media_control+xml', '<media_control/>'],
    ['text/plain', '5'],
  ])('are not what another body has: %s, %s', (type, body) => {
    expect(toRules(analyze(...withoutEvents, info(2, type, body), response('200 OK', 'INFO', 2)))).not.toContain('keys')
  })

  test('are lost if they are rejected and no events were agreed', () => {
    const rejected = response('415 Unsupported Media Type', 'INFO', 2)
    expect(analyze(...withoutEvents, info(2, relay, 'Signal=5'), rejected)).toContainEqual(
      'warn keys: The caller (203.0.113.7:5060) sent 1 key (DTMF) in INFO requests. All of them were rejected.',
    )
    expect(analyze(...answered, info(2, relay, 'Signal=5'), rejected)).toContainEqual(
      expect.stringMatching(/^info keys: .* All of them were rejected\.$/),
    )
    for (const before of [withoutEvents, answered])
      expect(analyze(...before, info(2, relay, 'Signal=5'), rejected)).toContainEqual(
        expect.stringMatching(/^info otherRequests: .* rejected the INFO with 415/),
      )
  })
})

describe('a transfer', () => {
  const refer = (number: number, target: string): Written[] => [
    request('REFER', number, { headers: [`Refer-To: ${target}`] }),
    response('202 Accepted', 'REFER', number),
  ]
  const notify = (number: number, event: string, body: string, state = 'terminated'): Written =>
    request('NOTIFY', number, {
      from: 'B',
      tags: ['b', 'a'],
      headers: [`Event: ${event}`, `Subscription-State: ${state}`, 'Content-Type: message/sipfrag'],
      body: [body],
    })
  const of = (...messages: Written[]) => analyze(...answered, ...messages).filter((one) => one.includes(' transfer: '))

  test('has the result that its own reports state', () => {
    expect(
      of(
        ...refer(2, '<sip:30@b.example>'),
        ...refer(3, '<sip:31@b.example>'),
        notify(1, 'refer;id=2', 'SIP/2.0 486 Busy Here'),
        notify(2, 'refer;id=3', 'SIP/2.0 200 OK'),
      ),
    ).toEqual([
      expect.stringMatching(/^warn transfer: The transfer to 30@b\.example failed with 486 Busy Here\./),
      expect.stringMatching(/^info transfer: .* to 31@b\.example, and it succeeded \(200 OK\)\.$/),
    ])
  })

  test.each([
    ['SIP/2.0 100 Trying', 'The reports ended without a result.'],
    ['', 'The reports ended without a result.'],
  ])('without a final status, after %j, has no result', (body, text) => {
    expect(of(...refer(2, '"A" <sip:30@b.example;user=phone>'), notify(1, 'refer', body))).toEqual([
      expect.stringMatching(new RegExp(`^info transfer: .* which accepted it \\(202 Accepted\\)\\. ${text}$`)),
    ])
  })

  test('is none if the other side has to send another request than INVITE', () => {
    expect(of(...refer(2, '<sip:30@b.example;method=BYE>'))).toEqual([])
  })

  test('does not show the password of a target', () => {
    expect(of(...refer(2, '<sip:30:secret@b.example>')).join('')).toContain('30@b.example')
  })
})

describe('addresses of different families', () => {
  const at = (address: string, ...more: string[]): string[] => [
    'v=0',
    's=-',
    `c=IN IP${address.includes(':') ? 6 : 4} ${address}`,
    'm=audio 4000 RTP/AVP 0',
    ...more,
  ]
  const [next, back] = [['198.51.100.4', '192.0.2.9'] as const, ['192.0.2.9', '198.51.100.4'] as const]
  const negotiate = (offer: readonly string[], answer: readonly string[]): string[] =>
    analyze({ ...invite, body: offer }, { ...ok, body: answer }, ack)

  test('are found on a further hop that differs only in them', () => {
    const findings = analyze(
      { ...invite, body: at('203.0.113.7'), at: 0 },
      { ...invite, body: at('198.51.100.4'), hop: next, at: 0.1 },
      { ...ok, body: at('2001:db8::9'), hop: back, at: 1 },
      { ...ok, body: at('198.51.100.4'), at: 1.1 },
      { ...ack, at: 1.2 },
      { ...ack, hop: next, at: 1.3 },
    )
    expect(toRules(findings)).toEqual(expect.arrayContaining(['badAnswer']))
    expect(findings.join()).toContain('198.51.100.4:4000 with [2001:db8::9]:4000')
    expect(toRules(findings)).not.toContain('agreed')
  })

  test.each([
    ['an IPv4 address in the form of IPv6', at('203.0.113.7'), at('::ffff:198.51.100.4')],
    ['a host name', at('203.0.113.7'), at('media.b.example')],
    ['a call on hold', at('2001:db8::7'), at('0.0.0.0')],
    ['no direction', at('2001:db8::7', 'a=inactive'), at('198.51.100.4', 'a=inactive')],
    ['a rejected stream', at('2001:db8::7'), at('198.51.100.4').map((line) => line.replace('4000', '0'))],
  ])('are not reported for %s', (_case, offer, answer) => {
    expect(negotiate(offer, answer).join()).not.toContain('IPv6 address')
  })

  test('are reported if only one side has ICE, because the other ignores its candidates', () => {
    expect(negotiate(at('2001:db8::7', 'a=ice-ufrag:abcd'), at('198.51.100.4')).join()).toContain('IPv6 address')
  })
})
