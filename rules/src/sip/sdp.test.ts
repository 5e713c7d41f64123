import { describe, expect, test } from 'vitest'
import { parseSip } from './parser.ts'
import { formatEndpoint, isActive, isBodyCut, isHeldByAddress, parseSdp, type SdpMedia } from './sdp.ts'

const withBody = (body: string, type = 'application/sdp', length = body.length) =>
  parseSip(
    [
      'INVITE sip:2@b.example SIP/2.0',
      'Call-ID: x',
      'CSeq: 1 INVITE',
      ...(type === '' ? [] : [`Content-Type: ${type}`]),
      `Content-Length: ${length}`,
      '',
      body,
    ].join('\r\n'),
  )

const parse = (body: string, type?: string): readonly SdpMedia[] => {
  const message = withBody(body, type)
  return message === undefined ? [] : parseSdp(message)
}

const lines = (...all: string[]): string => `${all.join('\r\n')}\r\n`

const usual = ['v=0', 'o=- 1 1 IN IP4 192.0.2.1', 's=-', 'c=IN IP4 192.0.2.1', 't=0 0', 'm=audio 4000 RTP/AVP 0 101']
const events = 'a=rtpmap:101 telephone-event/8000'
const expected = { kind: 'audio', port: 4000, protocol: 'RTP/AVP', address: '192.0.2.1', direction: 'sendrecv' }

describe('a session description', () => {
  test.each([
    ['as the RFC writes it', lines(...usual, events)],
    ['with line feeds alone', `${[...usual, events].join('\n')}\n`],
    ['with carriage returns alone', `${[...usual, events].join('\r')}\r`],
    ['without a last line break', [...usual, events].join('\r\n')],
    ['with blanks at line ends', lines(...[...usual, events].map((line) => `${line} \t`))],
    [
      'with blanks before lines and values',
      lines(...usual.map((line) => ` ${line.replace('=', ' = ')}`), 'a=rtpmap: 101  telephone-event/8000'),
    ],
    [
      'with keywords in upper case',
      lines(
        'V=0',
        'C=in ip4 192.0.2.1',
        'M=AUDIO 4000 RTP/AVP 0 101',
        'A=RTPMAP:101 telephone-event/8000',
        'A=SENDRECV',
      ),
    ],
    ['without origin, name, and time', lines('v=0', 'c=IN IP4 192.0.2.1', 'm=audio 4000 RTP/AVP 0 101', events)],
    ['without a version', lines(...usual.slice(1), events)],
    ['with more than one port', lines(...usual.with(5, 'm=audio 4000/2 RTP/AVP 0 101'), events)],
    ['with an address for multicast', lines(...usual.with(3, 'c=IN IP4 192.0.2.1/127/3'), events)],
  ])('%s is read', (_how, body) => {
    expect(parse(body)).toMatchObject([{ ...expected, codecs: ['PCMU/8000', 'telephone-event/8000'] }])
  })

  test('is read without a type, and not in a body of another type', () => {
    expect(parse(lines(...usual), '')).toHaveLength(1)
    expect(parse(lines('SIP/2.0 200 OK', '', ...usual), 'message/sipfrag')).toEqual([])
    expect(parse(lines(...usual), 'Application/SDP; charset=utf-8')).toHaveLength(1)
  })

  test.each([
    [
      'the first part',
      [
        '--x',
        'Content-Type: application/sdp',
        '',
        ...usual,
        '--x',
        'Content-Type: application/isup',
        '',
        '01ff',
        '--x--',
      ],
    ],
    [
      'the last part',
      [
        'preamble',
        '--x',
        'Content-Type: application/pidf+xml',
        '',
        '<a/>',
        '--x',
        'content-disposition: session',
        'CONTENT-TYPE: application/SDP',
        '',
        ...usual,
        '--x--',
      ],
    ],
    [
      'a part of a part',
      [
        '--x',
        'Content-Type: multipart/related;boundary=y',
        '',
        '--y',
        'Content-Type: application/sdp',
        '',
        ...usual,
        '--y--',
        '--x--',
      ],
    ],
    ['a part without headers', ['--x', '', ...usual, '--x--']],
    [
      'not the one for early media',
      [
        '--x',
        'Content-Type: application/sdp',
        'Content-Disposition: early-session',
        '',
        ...usual.with(3, 'c=IN IP4 192.0.2.99'),
        '--x',
        'Content-Type: application/sdp',
        '',
        ...usual,
        '--x--',
      ],
    ],
  ])('in a multipart body is %s', (_which, parts) => {
    expect(parse(lines(...parts), 'multipart/mixed;boundary=x')).toMatchObject([expected])
  })

  test('has attributes of the session that apply to streams without their own', () => {
    const [first, second] = parse(
      lines(
        'v=0',
        'c=IN IP6 2001:db8::1',
        'a=sendonly',
        'a=fingerprint:sha-256 00:11',
        'a=setup:actpass',
        'a=group:LS 0 1',
        'a=group:BUNDLE 0',
        'm=audio 4000 UDP/TLS/RTP/SAVP 0',
        'a=mid:0',
        'a=rtcp-mux',
        'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:abc',
        'm=video 0 UDP/TLS/RTP/SAVP 96',
        'c=IN IP4 192.0.2.2',
        'a=mid:1',
        'a=inactive',
        'a=setup:passive',
        'a=ice-ufrag:x',
        'a=bundle-only',
      ),
    )
    expect(first).toMatchObject({
      address: '2001:db8::1',
      direction: 'sendonly',
      keys: { suites: ['1 aes_cm_128_hmac_sha1_80'], hasFingerprint: true, setup: 'actpass' },
      hasRtcpMux: true,
      isBundled: true,
      usesIce: false,
    })
    expect(second).toMatchObject({
      address: '192.0.2.2',
      direction: 'inactive',
      keys: { suites: [], hasFingerprint: true, setup: 'passive' },
      hasRtcpMux: false,
      isBundled: false,
      usesIce: true,
    })
    expect(second && isActive(second)).toBe(true)
    expect(first && formatEndpoint(first)).toBe('[2001:db8::1]:4000')
  })
})

describe('an address', () => {
  const of = (address: string, more: readonly string[] = []) =>
    parse(lines('v=0', `c=IN IP4 ${address}`, 'm=audio 9 RTP/AVP 0', ...more)).map(isHeldByAddress)

  test.each(['0.0.0.0', '::', '0:0:0:0:0:0:0:0'])('%s puts the call on hold, but not with ICE', (address) => {
    expect(of(address)).toEqual([true])
    expect(of(address, ['a=candidate:1 1 udp 1 192.0.2.1 4000 typ host'])).toEqual([false])
    expect(of(address, ['a=ice-ufrag:x', 'a=ice-pwd:y'])).toEqual([false])
  })

  test.each(['192.0.2.1', '2001:db8::', 'media.example', ''])('%s does not put the call on hold', (address) => {
    expect(of(address)).toEqual([false])
  })
})

test('a body is cut if more than its last line break is missing', () => {
  const cut = (length: number) => {
    const message = withBody('v=0\r\ns=-', 'application/sdp', length)
    return message && isBodyCut(message)
  }
  expect([8, 10, 11].map(cut)).toEqual([false, false, true])
})
