import { randomBytes } from 'node:crypto'
import { type CapturedDatagram, hepChunk, hepPacket, toHepPacket } from '@patchbay/testkit/peers/hep'
import { expect, test } from 'vitest'
import { describeHep, readHep } from './hep.ts'
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
  expect(readHep(hepPacket({ ...seen, source, destination: '::1' }))).toMatchObject({
    source: { address: canonical, port: 5060 },
  })
})

const address6 = (last: number) => Buffer.from([0x20, 0x01, 0x0d, 0xb8, ...Array<number>(11).fill(0), last])
const restOfPacket = [
  hepChunk(7, Buffer.from([0x13, 0xc4])),
  hepChunk(8, Buffer.from([0x13, 0xc4])),
  hepChunk(9, Buffer.from([0, 0, 0, 100])),
  hepChunk(10, Buffer.from([0, 0, 0, 5])),
  hepChunk(11, Buffer.from([1])),
  hepChunk(15, Buffer.from('INVITE sip:+15085551079@10.0.0.2 SIP/2.0\r\n')),
]
const ipv4 = [hepChunk(3, Buffer.from([203, 0, 113, 1])), hepChunk(4, Buffer.from([203, 0, 113, 2]))]
const ipv6 = [hepChunk(5, address6(1)), hepChunk(6, address6(2))]
const family = (number: number) => hepChunk(1, Buffer.from([number]))

test.each([
  ['IPv4 of Linux', 2, ipv4, '203.0.113.1'],
  ['IPv4 of IANA', 1, ipv4, '203.0.113.1'],
  ['IPv6 of Linux', 10, ipv6, '2001:db8::1'],
  ['IPv6 of Windows', 23, ipv6, '2001:db8::1'],
  ['IPv6 of FreeBSD', 28, ipv6, '2001:db8::1'],
  ['IPv6 of macOS', 30, ipv6, '2001:db8::1'],
  ['IPv6 with the family of IPv4', 2, ipv6, '2001:db8::1'],
  ['IPv4 with the family of IPv6', 10, ipv4, '203.0.113.1'],
  ['both, of which the family says IPv4', 2, [...ipv6, ...ipv4], '203.0.113.1'],
  ['both, of which the family says IPv6', 10, [...ipv4, ...ipv6], '2001:db8::1'],
])('readHep reads the addresses of %s', (_what, number, addresses, source) => {
  expect(readHep(toHepPacket([family(number), ...addresses, ...restOfPacket]))).toMatchObject({
    source: { address: source, port: 5060 },
    at: 100_000_005,
  })
})

test('readHep adds microseconds of more than a second to the time', () => {
  const [microseconds] = [hepChunk(10, Buffer.from([0, 0x12, 0xd6, 0x87]))]
  const packet = toHepPacket([...ipv4, ...restOfPacket.filter((_chunk, at) => at !== 3), microseconds])
  expect(readHep(packet)).toMatchObject({ at: 101_234_567 })
})

test('readHep says what is missing, and the description of a packet contains no number', () => {
  const withoutAddress = toHepPacket([family(10), ...restOfPacket])
  expect(readHep(withoutAddress)).toBe('no_address')
  expect(readHep(toHepPacket([...ipv4.slice(1), ...restOfPacket]))).toBe('no_address')
  expect(readHep(toHepPacket([...ipv4, ...restOfPacket.slice(1)]))).toBe('incomplete')
  expect(readHep(toHepPacket([...ipv4, ...restOfPacket.slice(0, -1)]))).toBe('incomplete')
  expect(describeHep(withoutAddress)).toMatch(
    /^\d+ bytes with the chunks 1 \(1 bytes\), 7 \(2 bytes\), .*15 \(42 bytes\), with INVITE sip:…$/,
  )
  expect(describeHep(withoutAddress)).not.toContain('1508')
  expect(describeHep(examplePacket.subarray(0, 80))).toBe('80 bytes with wrong lengths')
  expect(describeHep(Buffer.from('REGISTER sip:alice@10.0.0.1 SIP/2.0'))).toBe('35 bytes that are not HEP version 3')
})

test('readHep rejects a packet truncated at any length', () => {
  for (let length = 0; length < examplePacket.length; length += 1) {
    expect(readHep(examplePacket.subarray(0, length))).toBe('invalid')
    const withAdjustedLength = Buffer.from(examplePacket.subarray(0, length))
    if (length >= 6) withAdjustedLength.writeUInt16BE(length, 4)
    expect(readHep(withAdjustedLength)).toBeTypeOf('string')
  }
})

test('readHep parses or rejects packets with random bytes without throwing', () => {
  const parts = Array.from({ length: 3000 }, () => {
    const packet = Buffer.from(examplePacket)
    for (const at of randomBytes(4)) packet[at % packet.length] = randomBytes(1)[0] ?? 0
    return readHep(packet)
  })
  for (const read of parts.filter((one) => typeof one !== 'string'))
    expect(read.at).toBeLessThan(Number.MAX_SAFE_INTEGER)
  for (let size = 0; size < 200; size += 1)
    expect(readHep(Buffer.concat([Buffer.from('HEP3'), randomBytes(size)]))).toBeDefined()
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
  expect(readHep(packet)).toBeTypeOf('string')
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
