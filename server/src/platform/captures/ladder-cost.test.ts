import { differenceOf } from '@patchbay/contract/rules/sip-difference'
import { findingsOf } from '@patchbay/contract/rules/sip-findings'
import { ladderOf } from '@patchbay/contract/rules/sip-ladder'
import { growth } from '@patchbay/testkit/growth'
import { expect, test } from 'vitest'

/** What a browser makes of captures, however long they are. */

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

const dialogs = (size: number) =>
  Array.from({ length: size }, (_, position) => {
    const method = ['INVITE', 'ACK', 'BYE'][position % 3] ?? ''
    return message(position, `${method} sip:2@b.example SIP/2.0`, `${position - (position % 3)} ${method}`)
  })

test.each([
  ['requests without an answer', invites],
  ['requests of many dialogs', dialogs],
])('a ladder of %s takes time in proportion to its length', (_name, messages) => {
  const capture = (size: number) => ({ total: size, data: { messages: messages(size) } })
  expect(growth(capture, 4800, (one) => findingsOf(ladderOf(one)))).toBeLessThan(64)
})

test('two messages of many lines are compared in proportion to their length', () => {
  const texts = (size: number) => {
    const lines = Array.from({ length: size }, (_, position) => `x${position}: 1`)
    return [['a', ...lines].join('\r\n'), ['b', ...lines.map((line) => `y${line}`)].join('\r\n')] as const
  }
  expect(growth(texts, 32_000, ([one, other]) => differenceOf(one, other))).toBeLessThan(64)
})
