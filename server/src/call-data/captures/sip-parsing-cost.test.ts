import { isPublicAddress } from '@patchbay/rules/sip/addresses'
import { findSipFindings } from '@patchbay/rules/sip/findings/findings'
import { parseIdentities, parseStatedVerifications } from '@patchbay/rules/sip/identity'
import { toLadder } from '@patchbay/rules/sip/ladder'
import { diffLines } from '@patchbay/rules/sip/line-diff'
import { parseSipMessage } from '@patchbay/rules/sip/message-head'
import { parseSip, parseUriHost } from '@patchbay/rules/sip/parser'
import { explainRefusal } from '@patchbay/rules/sip/refusal'
import { scanParameter } from '@patchbay/rules/sip/scan'
import { parseSdp } from '@patchbay/rules/sip/sdp'
import { growth } from '@patchbay/testkit/complexity-ratio'
import { expect, test } from 'vitest'

/**
 * SIP comes from untrusted senders, so parsing must take linear time. `growth` is about 16 for linear work, 256 for
 * quadratic, and 4096 for cubic work.
 */

const superLinear = 64

const message = (position: number, start: string, cseq: string) => ({
  micro_ts: 1_700_000_000_000_000 + position * 1_000_000,
  srcIp: '203.0.113.7',
  srcPort: 5060,
  dstIp: '10.0.0.9',
  dstPort: 5060,
  protocol: 17,
  raw: [start, 'Via: SIP/2.0/UDP 203.0.113.7;branch=z9hG4bK1', 'Call-ID: x', `CSeq: ${cseq}`, '', ''].join('\r\n'),
})

const invites = (size: number) =>
  Array.from({ length: size }, (_, position) =>
    message(position, 'INVITE sip:2@b.example SIP/2.0', `${position} INVITE`),
  )

/** Rejected calls with an ACK of another CSeq number, so that every ACK is compared with every call. */
const refusals = (size: number) =>
  Array.from({ length: size }, (_, position) => {
    const number = position - (position % 3)
    const [start, sequence] = [
      ['INVITE sip:2@b.example SIP/2.0', `${number} INVITE`],
      ['SIP/2.0 486 Busy Here', `${number} INVITE`],
      ['ACK sip:2@b.example SIP/2.0', `${number + 1} ACK`],
    ][position % 3] as [string, string]
    const [forward, reversed] = [message(position, start, sequence), { srcIp: '10.0.0.9', dstIp: '203.0.113.7' }]
    return position % 3 === 1 ? { ...forward, ...reversed } : forward
  })

/** A different host per message, over TCP, so that all hosts are candidates for one lane. */
const hosts = (size: number) =>
  Array.from({ length: size }, (_, position) => ({
    ...message(position, 'INVITE sip:2@b.example SIP/2.0', `${position} INVITE`),
    srcIp: `10.${position >> 16}.${(position >> 8) & 255}.${position & 255}`,
    protocol: 6,
  }))

const dialogs = (size: number) =>
  Array.from({ length: size }, (_, position) => {
    const method = ['INVITE', 'ACK', 'BYE'][position % 3] ?? ''
    return message(position, `${method} sip:2@b.example SIP/2.0`, `${position - (position % 3)} ${method}`)
  })

test.each([
  ['requests without an answer', invites],
  ['requests of many dialogs', dialogs],
  ['refused requests', refusals],
  ['requests of many hosts', hosts],
])('toLadder takes linear time for %s', (_name, messages) => {
  const capture = (size: number) => ({ total: size, data: { messages: messages(size) } })
  expect(growth(capture, 4800, (one) => findSipFindings(toLadder(one)))).toBeLessThan(superLinear)
})

const head = (...lines: readonly string[]) => ['INVITE sip:x SIP/2.0', 'Call-ID: x', ...lines, '', ''].join('\r\n')

const body = (line: string) => `${head('Content-Type: application/sdp')}v=0\r\n${line}\r\n`

const hostileMessages: readonly (readonly [string, (size: number) => string])[] = [
  ['quotes that are never closed', (size) => head(`From: ${'"\\'.repeat(size / 2)}`)],
  ['brackets that are never closed', (size) => head(`To: ${'<'.repeat(size)}`)],
  ['folded lines', (size) => head(`From: ${'\r\n '.repeat(size / 3)}x`)],
  ['spaces before a parameter', (size) => head(`Reason: x${' '.repeat(size)}x`)],
  ['line ends', (size) => `${'\n'.repeat(size)}x`],
  ['headers without a name', (size) => head(':\r\n'.repeat(size / 3))],
  ['media with a line separator', (size) => body(`m=audio 1 ${'A'.repeat(size)}\u2028`)],
  ['media', (size) => body('m=a 1 b\r\n'.repeat(size / 9))],
  ['formats', (size) => body(`m=a 1 b ${'1 '.repeat(size / 2)}`)],
]

test.each(hostileMessages)('parsing a message with many %s takes linear time', (_name, make) => {
  const parse = (text: string) => {
    const parsed = parseSip(text)
    return [parseSipMessage(text), parsed && parseSdp(parsed)]
  }
  expect(growth(make, 32_000, parse)).toBeLessThan(superLinear)
})

// Callers truncate header values, so the scanners are tested with longer values.
const hostileValues: readonly (readonly [string, (size: number) => string])[] = [
  ['quotes', (size) => '"'.repeat(size + 1)],
  ['escaped quotes', (size) => '"\\'.repeat(size / 2)],
  ['opening brackets', (size) => '<sip:'.repeat(size / 5)],
  ['names', (size) => 'a'.repeat(size)],
  ['names and spaces', (size) => `a${' '.repeat(size)}`],
  ['equals signs', (size) => 'a='.repeat(size / 2)],
  ['colons', (size) => `<sip:[${':'.repeat(size)}x`],
]

test.each(hostileValues)('scanning a header value of %s takes linear time', (_name, make) => {
  const scan = (value: string) => [scanParameter(value, 'tag'), parseUriHost(value), isPublicAddress(value.slice(6))]
  expect(growth(make, 64_000, scan)).toBeLessThan(superLinear)
})

/** Header values of responses and of signed requests, which are not truncated here. */
const hostileReasons: readonly (readonly [string, (size: number) => string])[] = [
  ...hostileValues,
  ['commas', (size) => ','.repeat(size)],
  ['reasons', (size) => 'Q.850;cause=1,'.repeat(size / 14)],
  ['blanks before parameters', (size) => `x${'; '.repeat(size / 2)}`],
  ['comments in comments', (size) => `1 ${'('.repeat(size)}`],
  ['comments', (size) => '1 ()'.repeat(size / 4)],
  ['backslashes', (size) => `1 (${'\\'.repeat(size)}`],
  ['details of a block', (size) => `x;text="v=analytics1;${'url=https://a.'.repeat(size / 14)}"`],
  ['addresses of a block', (size) => `x;text="v=analytics1;email=${'a.'.repeat(size / 2)}@${'a.'.repeat(size / 2)}"`],
  ['dots', (size) => '.'.repeat(size)],
  [
    'a token',
    (size) => `${'e30'.repeat(size / 3)}.${'W1tb'.repeat(size / 4)}.x;info=<https://${'a.'.repeat(size / 2)}`,
  ],
  ['nested JSON', (size) => `e30.${btoa(`{"a":${'['.repeat(size)}`)}.x`],
]

test.each(hostileReasons)('explaining a refusal and an identity of %s takes linear time', (_name, make) => {
  const names = [
    'reason',
    'warning',
    'retry-after',
    'call-info',
    'x-twilio-error',
    'x-reason',
    'identity',
    'from',
    'p-asserted-identity',
  ]
  const explain = (value: string) => {
    const headers = names.map((name) => [name, value] as const)
    const response = {
      method: 'INVITE',
      status: 608,
      title: '608 x',
      headers,
      body: '',
      number: 1,
      fromTag: '',
      toTag: '',
      branches: [],
      isCut: false,
    }
    return [
      explainRefusal({
        response,
        rang: false,
        ringSeconds: undefined,
        isCanceled: false,
        seconds: 1,
        hasCredentials: false,
      }),
      parseIdentities(response),
      parseStatedVerifications(response),
    ]
  }
  expect(growth(make, 64_000, explain)).toBeLessThan(superLinear)
})

test('diffLines takes linear time for two messages with many lines', () => {
  const createMessages = (size: number) => {
    const lines = Array.from({ length: size }, (_, position) => `x${position}: 1`)
    return [['a', ...lines].join('\r\n'), ['b', ...lines.map((line) => `y${line}`)].join('\r\n')] as const
  }
  expect(growth(createMessages, 32_000, ([one, other]) => diffLines(one, other))).toBeLessThan(superLinear)
})
