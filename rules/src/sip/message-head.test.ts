import { expect, test } from 'vitest'
import { headerIn, isCallId, parseSipMessage } from './message-head.ts'
import { scanParameter } from './scan.ts'

const invite = [
  'INVITE sip:bob@biloxi.example.com SIP/2.0',
  'Via: SIP/2.0/TCP client.atlanta.example.com:5060;branch=z9hG4bK74bf9',
  'From: Alice <sip:alice@atlanta.example.com>;tag=9fxced76sl',
  'To: Bob <sip:bob@biloxi.example.com>',
  'Call-ID: 3848276298220188511@atlanta.example.com',
  'CSeq: 1 INVITE',
  'Content-Length: 0',
]
const text = (lines: readonly string[], end = '\r\n') => `${lines.join(end)}${end}${end}`

test('parses a request (RFC 3665 §3.1)', () => {
  expect(parseSipMessage(text(invite))).toEqual({
    method: 'INVITE',
    status: undefined,
    title: 'INVITE',
    callid: '3848276298220188511@atlanta.example.com',
    from_user: 'alice',
    to_user: 'bob',
  })
})

test('takes the method of a response from CSeq', () => {
  const answer = ['SIP/2.0 180 Ringing', ...invite.slice(1)]
  expect(parseSipMessage(text(answer))).toMatchObject({ method: 'INVITE', status: 180, title: '180 Ringing' })
  expect(parseSipMessage(text(['SIP/2.0 200', ...invite.slice(1)]))).toMatchObject({ status: 200, title: '200' })
})

test('parses compact, folded, and unusually formatted headers (RFC 4475 §3.1.1.1)', () => {
  const torture = [
    'REGISTER sip:example.com SIP/2.0',
    'f  :',
    ' "J Rosenberg <sip:not@me>\\"" <sip:jdrosen:secret@example.com;transport=udp>',
    '   ;tag = 98asjd8',
    't : tel:+15083084809;phone-context=example.com',
    'i: a84b4c76e66710',
    'cSeq: 0009',
    '  REGISTER',
    'Call-ID: another',
  ]
  expect(parseSipMessage(`\r\n\r\n${text(torture, '\n')}i: in-the-body`)).toMatchObject({
    method: 'REGISTER',
    callid: 'a84b4c76e66710',
    from_user: 'jdrosen',
    to_user: '+15083084809',
  })
})

test.each([
  ['', 'nothing'],
  ['\r\n\r\n', 'what keeps a connection alive'],
  [text(invite.slice(1)), 'no start line'],
  [text(invite.filter((line) => !line.startsWith('Call-ID'))), 'no Call-ID'],
  [text(['SIP/2.0 200 OK', 'Call-ID: x']), 'an answer to nothing'],
  [text(['SIP/2.0 200 OK', 'Call-ID: x', 'CSeq: x INVITE']), 'an answer to no number'],
  [text(['INVITE sip:x HTTP/1.1', 'Call-ID: x']), 'another protocol'],
  [text(['INVITE sip:x SIP/2.0', 'Call-ID: two words']), 'a Call-ID of two words'],
  [text(['INVITE sip:x SIP/2.0', `Call-ID: ${'x'.repeat(256)}`]), 'a Call-ID without end'],
  [text([`${'X'.repeat(33)} sip:x SIP/2.0`, 'Call-ID: x']), 'a method without end'],
  [text(['INVITE sip:x SIP/2.0', `Subject: ${'x'.repeat(40_000)}`, 'Call-ID: x']), 'a head without end'],
])('rejects %j: %s', (sipText) => {
  expect(parseSipMessage(sipText)).toBeUndefined()
})

test('parses or rejects a message that is truncated anywhere', () => {
  const whole = text(invite)
  for (let length = 0; length < whole.length; length += 1)
    expect([undefined, 'INVITE']).toContain(parseSipMessage(whole.slice(0, length))?.method)
})

test('reads 1,024 characters of a header value and ignores the rest', () => {
  const from = (name: string) => `From: "${name}" <sip:alice@example.com>`
  const read = (name: string) => parseSipMessage(text(['INVITE sip:x SIP/2.0', 'Call-ID: x', from(name)]))?.from_user
  expect(read('x'.repeat(900))).toBe('alice')
  expect(read('x'.repeat(1100))).toBe('')
})

test('reads 512 headers and ignores the rest', () => {
  const after = (count: number) =>
    parseSipMessage(text(['INVITE sip:x SIP/2.0', ...Array.from({ length: count }, () => 'a:'), 'Call-ID: x']))
  expect(after(511)).toMatchObject({ callid: 'x' })
  expect(after(512)).toBeUndefined()
})

test.each([
  ['<sip:a@b;tag=no>;tag=yes', 'tag', 'yes'],
  ['"tag=no" <sip:a@b>; TAG = yes;x', 'tag', 'yes'],
  [String.raw`Q.850 ;cause=16 ;text="he said \"bye\"; cause=9"`, 'text', String.raw`he said \"bye\"; cause=9`],
  [String.raw`Q.850;text="a;cause=9";cause=16`, 'cause', '16'],
  ['Digest realm="",nonce="n", stale=true', 'realm', ''],
  ['Digest realm="",nonce="n", stale=true', 'stale', 'true'],
  ['x=;y=1', 'x', undefined],
  ['"never closed;x=1', 'x', undefined],
  ['', 'x', undefined],
] as const)('parameter %j: %s is %j', (value, name, expected) => {
  expect(scanParameter(value, name)).toBe(expected)
})

test('requires Call-IDs to be printable', () => {
  expect(['a@b', `%{}/"<>:\\`, 'x'.repeat(255)].filter(isCallId)).toHaveLength(3)
  expect(['', 'a b', 'ä', '\u0000', 'x'.repeat(256), 'a\r\nb'].filter(isCallId)).toEqual([])
})

test.each(['constructor', '__proto__', 'toString'])('keeps the name of a header that every object has: %s', (name) => {
  expect(headerIn(`${name}: x`)).toEqual([name.toLowerCase(), 'x'])
})
