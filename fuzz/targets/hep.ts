import { isIP } from 'node:net'
import { deflateSync, gzipSync } from 'node:zlib'
import { type HepPacket, readHep } from '@patchbay/server/call-data/captures/hep'
import { readMessage } from '@patchbay/server/call-data/ingest/hep-ingest'
import { createHepSplitter } from '@patchbay/server/call-data/ingest/hep-splitter'
import { hepPacket } from '@patchbay/testkit/peers/hep'
import { assertEqual, assertRule, type FuzzTarget } from '../engine/target.ts'

/** HEP packets: as a datagram, and as a TCP stream that arrives in pieces. */

const sip = [
  'INVITE sip:2@b.example SIP/2.0',
  'Via: SIP/2.0/UDP 203.0.113.7;branch=z9hG4bK1',
  'From: <sip:1@a.example>;tag=a',
  'Call-ID: x',
  'CSeq: 1 INVITE',
  '',
  '',
].join('\r\n')

/** Content of a datagram that the intake stores at most. */
const maxContentBytes = 65_000
/** The agent that the encoder names if there is none. */
const usualAgent = 2001

const checkPacket = (packet: HepPacket, input: Buffer): void => {
  const { source, destination, at, type, payload, isCompressed, key, transport, agent = usualAgent } = packet
  for (const { address, port } of [source, destination])
    assertRule(isIP(address) > 0 && port >= 0 && port < 65_536, () => `${address} ${port} is no endpoint`)
  assertRule(Number.isSafeInteger(at) && at >= 0, () => `${at} is no time`)
  assertRule(payload.length + key.length <= input.length, () => 'the parts are longer than the packet')
  const message = readMessage(packet)
  if (typeof message !== 'string')
    assertRule(message.content.length <= maxContentBytes || !isCompressed, () => 'the message is too long')
  // The encoder knows one family per packet.
  if (payload.length > maxContentBytes - 1000 || key.includes('\ufffd')) return
  const encoded = hepPacket({
    source: source.address,
    sourcePort: source.port,
    destination: destination.address,
    destinationPort: destination.port,
    payload,
    at,
    type,
    key,
    isCompressed,
    transport,
    agent,
  })
  assertEqual(readHep(encoded), { ...packet, agent }, 'a packet and what it is encoded as')
}

/** Pushes a stream in pieces, and returns what the splitter found. */
const split = (input: Buffer, pieceBytes: number) => {
  const packets: string[] = []
  const splitter = createHepSplitter((packet) => {
    packets.push(packet.toString('latin1'))
    return readHep(packet) !== undefined
  })
  for (let at = 0; at < input.length; at += pieceBytes)
    if (!splitter.push(input.subarray(at, at + pieceBytes))) return { packets, isValid: false }
  return { packets, isValid: true, isPartial: splitter.hasPartialPacket() }
}

const checkStream = (input: Buffer): void => {
  const whole = split(input, Math.max(1, input.length))
  const bytes = whole.packets.reduce((sum, { length }) => sum + length, 0)
  assertRule(bytes <= input.length, () => 'the packets are longer than the stream')
  // The first byte chooses the size of the pieces. Small pieces of a long stream take too long.
  const pieceBytes = 1 + ((input[0] ?? 0) % 97)
  for (const size of [Math.max(pieceBytes, input.length >> 10), Math.max(1, input.length >> 8)])
    assertEqual(split(input, size), whole, `a stream and its pieces of ${size} bytes`)
}

export const target: FuzzTarget = {
  name: 'hep',
  files: /\/(?:hep|hep-splitter)\.ts$/,
  maxBytes: 65_535,
  maxCpuMs: 500,
  maxRssMb: 600,
  tokens: [
    'HEP3',
    'HEP3\0\u0006',
    '\0\0\0\u000f\0',
    '\0\0\0\u0010\0',
    '\0\0\0\u0001\0\u0007\u0002',
    '\0\0\0\u000e\0',
    sip,
  ],
  createSeeds() {
    const from4 = { source: '203.0.113.7', sourcePort: 5060, destination: '10.0.0.9', destinationPort: 5070 }
    const from6 = { ...from4, source: '2001:db8::1', destination: '::ffff:10.0.0.9' }
    const at = 1_700_000_000_123_456
    const payload = Buffer.from(sip)
    const packets = [
      hepPacket({ ...from4, at, payload, key: 'secret' }),
      hepPacket({ ...from6, at, payload }),
      hepPacket({ ...from4, at, payload: deflateSync(payload), isCompressed: true }),
      hepPacket({ ...from4, at, payload: gzipSync(Buffer.alloc(100_000)), isCompressed: true }),
      hepPacket({ ...from4, at, payload: Buffer.from('{}'), type: 100 }),
    ]
    return [...packets, Buffer.concat(packets)]
  },
  run(input) {
    const packet = readHep(input)
    if (typeof packet !== 'string') checkPacket(packet, input)
    checkStream(input)
  },
}
