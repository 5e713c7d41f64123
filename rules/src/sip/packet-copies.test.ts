import { describe, expect, test } from 'vitest'
import { parsePacket } from './captured-packets.ts'
import { mergeCopies } from './packet-copies.ts'

const hosts = { A: '203.0.113.7', B: '198.51.100.4' } as const

interface Sending {
  /** Milliseconds. */
  at: number
  start: string
  cseq: string
  way?: 'A>B' | 'B>A'
  headers?: readonly string[]
  captureId?: string
  protocol?: number
}

const capture = (sendings: readonly Sending[]) =>
  sendings.map(({ at, start, cseq, way = 'A>B', headers = [], ...more }) => {
    const [source, destination] = way === 'A>B' ? [hosts.A, hosts.B] : [hosts.B, hosts.A]
    const lines = [start, `Via: SIP/2.0/UDP ${hosts.A};branch=z9hG4bK${cseq.replace(/\D/g, '')}`]
    const addresses = ['From: <sip:1@a.example>;tag=a', 'To: <sip:2@b.example>;tag=b', `CSeq: ${cseq}`]
    return parsePacket(
      {
        micro_ts: 1_700_000_000_000_000 + at * 1000,
        srcIp: source,
        srcPort: 5060,
        dstIp: destination,
        dstPort: 5060,
        raw: `${[...lines, ...addresses, ...headers].join('\r\n')}\r\n\r\n`,
        ...more,
      },
      0,
    )
  })

const count = (sendings: readonly Sending[]) =>
  mergeCopies(capture(sendings.toSorted((one, other) => one.at - other.at))).map(
    ({ message, again, doubled, unclear }) => `${message?.title}: ${again.length} ${doubled} ${unclear}`,
  )

/** Repeats a message at times in milliseconds. */
const at = (times: readonly number[], one: Omit<Sending, 'at'>): Sending[] =>
  times.map((time) => ({ at: time, ...one }))

const invite = { start: 'INVITE sip:2@b.example SIP/2.0', cseq: '1 INVITE' }
const ok = { start: 'SIP/2.0 200 OK', cseq: '1 INVITE', way: 'B>A' } as const
const ack = { start: 'ACK sip:2@b.example SIP/2.0', cseq: '1 ACK' }
const bye = { start: 'BYE sip:2@b.example SIP/2.0', cseq: '2 BYE' }
const byeOk = { start: 'SIP/2.0 200 OK', cseq: '2 BYE', way: 'B>A' } as const
const early = { start: 'SIP/2.0 183 Session Progress', cseq: '1 INVITE', way: 'B>A', headers: ['RSeq: 7'] } as const
const prack = { start: 'PRACK sip:2@b.example SIP/2.0', cseq: '2 PRACK', headers: ['RAck: 7 1 INVITE'] }

// Each text is the title of a message, then how often it was repeated, captured twice, and one of both.
describe('copies at one capture point', () => {
  test.each([5, 30, 99, 100, 500])('an ACK was sent for each copy of an answer: %i ms apart', (pause) => {
    const ackAt = 2550
    expect(count([...at([2000, 2500], ok), ...at([ackAt, ackAt + pause], ack)])).toEqual([
      '200 OK: 1 0 0',
      'ACK: 1 0 0',
    ])
  })

  test('an ACK that is captured more often than the answer is a copy', () => {
    expect(count([...at([2000], ok), ...at([2050, 2055], ack)])).toEqual(['200 OK: 0 0 0', 'ACK: 0 1 0'])
    expect(count([...at([2000, 2500], ok), ...at([2550, 2555, 2560], ack)])).toEqual(['200 OK: 1 0 0', 'ACK: 1 1 0'])
  })

  test('an answer that is repeated later is no reason for an ACK that was captured again before', () => {
    expect(count([...at([2000, 2500], ok), ...at([2050, 2055], ack)])).toEqual(['200 OK: 1 0 0', 'ACK: 0 1 0'])
  })

  test('a response was repeated for each copy of its request', () => {
    expect(count([...at([0, 500], bye), ...at([520, 525], byeOk)])).toEqual(['BYE: 1 0 0', '200 OK: 1 0 0'])
  })

  test('a PRACK was repeated for each copy of a reliable response', () => {
    expect(count([...at([1000, 1500], early), ...at([1600, 1610], prack)])).toEqual([
      '183 Session Progress: 1 0 0',
      'PRACK: 1 0 0',
    ])
  })

  test('each packet was captured twice', () => {
    const both = (one: Omit<Sending, 'at'>, ...times: number[]) => at([...times, ...times.map((time) => time + 4)], one)
    expect(
      count([...both(invite, 0, 500), ...both(ok, 2000, 2500), ...both(ack, 2050, 2550), ...both(bye, 9000)]),
    ).toEqual(['INVITE: 1 2 0', '200 OK: 1 2 0', 'ACK: 1 2 0', 'BYE: 0 1 0'])
  })

  test.each([
    [[0, 50, 150, 350, 750], 'BYE: 4 0 0'],
    [[0, 25, 75, 175, 375], 'BYE: 4 0 0'],
    [[0, 50, 150, 200], 'BYE: 1 0 2'],
    [[0, 10, 30, 70, 150], 'BYE: 1 1 2'],
    [[0, 30, 60], 'BYE: 0 0 2'],
    [[0, 50], 'BYE: 0 0 1'],
    [[0, 19], 'BYE: 0 1 0'],
  ])('a short timer is known by its pauses: copies at %j ms', (times, expected) => {
    expect(count(at(times, bye))).toEqual([expected])
  })

  test('a request over TCP is not repeated, so that any copy was captured twice', () => {
    expect(count(at([0, 50, 150, 350], { ...bye, protocol: 6 }))).toEqual(['BYE: 0 3 0'])
  })
})

test('copies of another agent were captured twice, whatever their times are', () => {
  const ofAgent = (captureId: string, times: readonly number[]) => [
    ...at(times, { ...ok, captureId }),
    ...at(
      times.map((time) => time + 50),
      { ...ack, captureId },
    ),
  ]
  expect(count([...ofAgent('2001', [2000, 2500]), ...ofAgent('2002', [2300, 2800])])).toEqual([
    '200 OK: 1 2 0',
    'ACK: 1 2 0',
  ])
})
