import { hepChunk, toHepPacket, hepPacket, type CapturedDatagram } from '@patchbay/testkit/hep'
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { readHep } from './hep.ts'
import { toPcap } from './pcap.ts'

const seen: CapturedDatagram = {
  source: '3.3.3.3',
  sourcePort: 5060,
  destination: '10.0.0.5',
  destinationPort: 5070,
  payload: Buffer.from('a payload'),
  at: 1_700_000_000_123_456,
}

/** The example packet of the specification (HEP rev. 12, "Example"), with a shortened payload. */
const examplePacket = Buffer.from(
  [
    '48455033 0000',
    '0000 0001 0007 02',
    '0000 0002 0007 11',
    '0000 0003 000a d4caad42',
    '0000 0004 000a 52740 0d3'.replaceAll(' ', ''),
    '0000 0007 0008 2eea',
    '0000 0008 0008 13c4',
    '0000 0009 000a 4e49820b',
    '0000 000a 000a 0001d4c0',
    '0000 000b 0007 01',
    '0000 000c 000a 000000e4',
    '0000 000e 0014 6d794875626d7948756248616861',
    '0000 000f 000c 494e56495445',
  ]
    .join('')
    .replaceAll(' ', ''),
  'hex',
)
examplePacket.writeUInt16BE(examplePacket.length, 4)

test('readHep parses the example packet of the specification', () => {
  expect(readHep(examplePacket)).toEqual({
    source: { address: '212.202.173.66', port: 12_010 },
    destination: { address: '82.116.0.211', port: 5060 },
    transport: 17,
    at: 1_313_440_267_120_000,
    type: 1,
    payload: Buffer.from('INVITE'),
    isCompressed: false,
    agent: 228,
    key: 'myHubmyHubHaha',
  })
})

test.each([
  ['fe80:0:0:0:0:0:0:1', 'fe80::1'],
  ['0:0:0:0:0:0:0:0', '::'],
  ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
  ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
  ['0:0:0:0:0:ffff:a00:5', '::ffff:a00:5'],
])('readHep parses the IPv6 address %s', (source, canonical) => {
  expect(readHep(hepPacket({ ...seen, source, destination: '::1' }))?.source).toEqual({
    address: canonical,
    port: 5060,
  })
})

test('readHep rejects a packet truncated at any length', () => {
  for (let length = 0; length < examplePacket.length; length += 1) {
    expect(readHep(examplePacket.subarray(0, length))).toBeUndefined()
    const withAdjustedLength = Buffer.from(examplePacket.subarray(0, length))
    if (length >= 6) withAdjustedLength.writeUInt16BE(length, 4)
    expect(readHep(withAdjustedLength)).toBeUndefined()
  }
})

test('readHep parses or rejects packets with random bytes without throwing', () => {
  const parts = Array.from({ length: 3000 }, () => {
    const packet = Buffer.from(examplePacket)
    for (const at of randomBytes(4)) packet[at % packet.length] = randomBytes(1)[0] ?? 0
    return readHep(packet)
  })
  for (const read of parts.filter((one) => one !== undefined)) expect(read.at).toBeLessThan(Number.MAX_SAFE_INTEGER)
  for (let size = 0; size < 200; size += 1)
    expect(readHep(Buffer.concat([Buffer.from('HEP3'), randomBytes(size)]))?.type ?? 1).toBeDefined()
})

test.each([
  ['nothing', Buffer.alloc(0)],
  ['HEP version 2', Buffer.from('021014112233', 'hex')],
  ['a chunk without an end', toHepPacket([Buffer.from('0000000100ff', 'hex')])],
  ['a chunk of no length', toHepPacket([Buffer.from('000000010000', 'hex')])],
  ['nothing in it', toHepPacket([])],
  ['chunks of somebody else alone', toHepPacket([hepChunk(0x0f, Buffer.from('x'), 7)])],
  [
    'an address of five bytes',
    Buffer.from(examplePacket.toString('latin1').replace('\x00\x03\x00\x0a', '\x00\x03\x00\x0b'), 'latin1'),
  ],
])('readHep rejects %s', (_what, packet) => {
  expect(readHep(packet)).toBeUndefined()
})

test('toPcap writes the bytes of the libpcap format', () => {
  const { source, destination } = {
    source: { address: '3.3.3.3', port: 5060 },
    destination: { address: '10.0.0.5', port: 5070 },
  }
  const file = toPcap([{ at: 1_700_000_000_123_456, source, destination, content: Buffer.from('hey') }])
  const lines = [
    'd4c3b2a1 0200 0400 00000000 00000000 ffff0000 01000000',
    '00f15365 40e20100 2d000000 2d000000',
    '020000000002 020000000001 0800',
    '4500001f 00004000 4011 2ac4 03030303 0a000005',
    '13c4 13ce 000b',
  ]
  const start = lines.join('').replaceAll(' ', '')
  expect(file.toString('hex').slice(0, start.length)).toBe(start)
  expect(file.subarray(-3).toString()).toBe('hey')
})

test.each([
  ['IPv4', '10.0.0.1', 14 + 20 + 8],
  ['IPv6', '2001:db8::1', 14 + 40 + 8],
])('toPcap truncates an oversized message to the maximum datagram size of %s', (_what, address, heads) => {
  const end = { address, port: 5060 }
  const file = toPcap([{ at: 0, source: end, destination: end, content: Buffer.alloc(200_000) }])
  const [captured, length] = [file.readUInt32LE(24 + 8), file.readUInt32LE(24 + 12)]
  expect([captured, length]).toEqual([65_535, heads + 65_507])
  expect(file.length).toBe(24 + 16 + captured)
})
