import { expect, test } from 'vitest'
import { filterCapture } from './capture-filter.ts'
import { toCapture } from './capture-response.ts'
import type { ReceivedMessage } from './captures.ts'

const message = (method: string, at: number, address: string): ReceivedMessage => ({
  sip_callid: 'x',
  method,
  at,
  transport: 17,
  source: { address, port: 5060 },
  destination: { address: '10.0.0.5', port: 5060 },
  content: Buffer.from(`SIP/2.0 200 OK\r\nCall-ID: x\r\nCSeq: 1 ${method}\r\n\r\n`),
})

const capture = toCapture([
  message('INVITE', 1_700_000_000_000_000, '10.0.0.1'),
  message('INVITE', 1_700_000_100_000_000, '10.0.0.2'),
  message('REGISTER', 1_700_000_000_000_000, '10.0.0.3'),
])

test('filterCapture restricts an unfiltered capture by time and kind, and removes unused hosts', () => {
  const filtered = filterCapture(capture, { kinds: ['invite'], includes: (_kind, at) => at < 1_700_000_050_000_000 })
  expect(filtered).toMatchObject({ total: 1, data: { messages: [{ srcIp: '10.0.0.1' }], calldata: [{ id: 1 }] } })
  expect([Object.keys(filtered.data.hosts), Object.keys(filtered.data.alias)]).toEqual([
    ['10.0.0.1:5060', '10.0.0.5:5060'],
    ['10.0.0.1:5060', '10.0.0.5:5060'],
  ])
})

test('filterCapture returns the same capture if the filter includes every message', () => {
  expect(filterCapture(capture, { kinds: ['invite', 'register'], includes: () => true })).toBe(capture)
})

test('filterCapture accepts times in milliseconds and excludes messages without a time', () => {
  const [first] = capture.data.messages
  const other = { ...capture, data: { ...capture.data, messages: [{ ...first, micro_ts: 1_700_000_000_000 }] } }
  const includes = (_kind: string, at: number) => at === 1_700_000_000_000_000
  expect(filterCapture(other as never, { kinds: ['invite'], includes }).total).toBe(3)
  const timeless = { ...capture, data: { ...capture.data, messages: [{ raw: '' }] } }
  expect(filterCapture(timeless as never, { kinds: ['invite'], includes }).total).toBe(0)
})
