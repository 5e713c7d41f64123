import { expect, test } from 'vitest'
import { isCallId, sipMessageOf } from './sip-messages.ts'

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

test('a request is read (RFC 3665 §3.1)', () => {
  expect(sipMessageOf(text(invite))).toEqual({
    method: 'INVITE',
    status: undefined,
    title: 'INVITE',
    callid: '3848276298220188511@atlanta.example.com',
    from_user: 'alice',
    to_user: 'bob',
  })
})

test('an answer is of the method that it answers', () => {
  const answer = ['SIP/2.0 180 Ringing', ...invite.slice(1)]
  expect(sipMessageOf(text(answer))).toMatchObject({ method: 'INVITE', status: 180, title: '180 Ringing' })
  expect(sipMessageOf(text(['SIP/2.0 200', ...invite.slice(1)]))).toMatchObject({ status: 200, title: '200' })
})

test('compact, folded and oddly written headers are read (RFC 4475 §3.1.1.1)', () => {
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
  expect(sipMessageOf(`\r\n\r\n${text(torture, '\n')}i: in-the-body`)).toMatchObject({
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
])('%j is no message that can be filed: %s', (given) => {
  expect(sipMessageOf(given)).toBeUndefined()
})

test('a message that is cut anywhere is read, or is none', () => {
  const whole = text(invite)
  for (let length = 0; length < whole.length; length += 1)
    expect([undefined, 'INVITE']).toContain(sipMessageOf(whole.slice(0, length))?.method)
})

test('hostile heads take no time', () => {
  const started = performance.now()
  const lines = ['INVITE sip:x SIP/2.0', 'Call-ID: x', `From: ${'"\\'.repeat(7000)}<`, `To: ${'<sip:'.repeat(2000)}`]
  sipMessageOf(text(lines))
  sipMessageOf(`INVITE ${' '.repeat(30_000)}`)
  sipMessageOf(text(['INVITE sip:x SIP/2.0', `Call-ID:${' '.repeat(15_000)}x`, '\n'.repeat(15_000)]))
  sipMessageOf(text(['INVITE sip:x SIP/2.0', `From: ${'"'.repeat(30_000)}`]))
  sipMessageOf('\n '.repeat(15_000))
  expect(performance.now() - started).toBeLessThan(1000)
})

test('Call-IDs are printable', () => {
  expect(['a@b', `%{}/"<>:\\`, 'x'.repeat(255)].filter(isCallId)).toHaveLength(3)
  expect(['', 'a b', 'ä', '\u0000', 'x'.repeat(256), 'a\r\nb'].filter(isCallId)).toEqual([])
})
