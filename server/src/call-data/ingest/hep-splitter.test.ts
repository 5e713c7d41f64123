import { hepPacket } from '@patchbay/testkit/peers/hep'
import { expect, test } from 'vitest'
import { createHepSplitter } from './hep-splitter.ts'

const createPacket = (payload: string) =>
  hepPacket({
    source: '10.0.0.1',
    sourcePort: 5060,
    destination: '10.0.0.2',
    destinationPort: 5060,
    payload: Buffer.from(payload),
  })

/** Pushes a stream in chunks of a size. Returns the packets, and whether the whole stream was accepted. */
const split = (stream: Buffer, chunkSize: number) => {
  const packets: Buffer[] = []
  const splitter = createHepSplitter((packet) => packets.push(packet) > 0)
  let isAccepted = true
  for (let at = 0; at < stream.length && isAccepted; at += chunkSize)
    isAccepted = splitter.push(stream.subarray(at, at + chunkSize))
  return { packets, isAccepted, hasPartialPacket: splitter.hasPartialPacket() }
}

const samples = ['', 'a message', 'x'.repeat(65_000)].map(createPacket)
const stream = Buffer.concat(samples)

test.each([1, 2, 5, 6, 7, 1000, 65_536, stream.length])('returns the same packets from chunks of %i bytes', (size) => {
  const { packets, ...state } = split(stream, size)
  expect(packets.map((packet) => packet.toString('hex'))).toEqual(samples.map((packet) => packet.toString('hex')))
  expect(state).toEqual({ isAccepted: true, hasPartialPacket: false })
})

test.each([
  ['another protocol', Buffer.from('INVITE sip:1@host SIP/2.0\r\n')],
  ['a length below that of the head', Buffer.from('HEP3\0\x05', 'latin1')],
  ['another version', Buffer.from('HEP2\0\x10', 'latin1')],
])('rejects a stream of %s, also after a valid packet', (_what, garbage) => {
  for (const size of [1, 1000]) {
    expect(split(garbage, size)).toMatchObject({ packets: [], isAccepted: false })
    expect(split(Buffer.concat([createPacket('valid'), garbage]), size)).toMatchObject({ isAccepted: false })
  }
})

test('knows that a packet is incomplete from its first byte on', () => {
  const packet = createPacket('a message')
  for (const length of [1, 5, 6, 7, packet.length - 1])
    expect(split(packet.subarray(0, length), 1000), `${length} bytes`).toEqual({
      packets: [],
      isAccepted: true,
      hasPartialPacket: true,
    })
})

test('a small packet does not keep the chunk in memory that it arrived in', () => {
  const [packet] = split(Buffer.concat([createPacket('small'), createPacket('x'.repeat(60_000))]), 70_000).packets
  expect(packet?.buffer.byteLength).toBe(packet?.length)
})
