import { expect, test } from 'vitest'
import { laneKeys, parsePacket } from './captured-packets.ts'

test.each([
  [6, 'TCP'],
  [17, 'UDP'],
  [22, 'TLS'],
  [132, 'SCTP'],
  [99, 'protocol 99'],
])('the transport of IP protocol %i is %s', (protocol, transport) => {
  expect(parsePacket({ protocol }, 0).transport).toBe(transport)
})

test.each([6, 22])('a client with several connections has one lane: IP protocol %i', (protocol) => {
  const from = (srcPort: number) =>
    parsePacket({ srcIp: '203.0.113.7', srcPort, dstIp: '10.0.0.5', dstPort: 5061, protocol }, 0)
  const lanes = laneKeys([from(40_001), from(40_002)])
  expect(new Set(lanes.values())).toEqual(new Set(['203.0.113.7:40001', '10.0.0.5:5061']))
})
