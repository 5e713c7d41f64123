import { addressBytes } from './ip-address-codec.ts'
import type { SeenMessage } from './captures.ts'

/**
 * Files of libpcap (version 2.4, little-endian, Ethernet) with a message a packet, each as a datagram of UDP over IPv4
 * or IPv6, whatever carried it. Pure.
 */

export type Datagram = Pick<SeenMessage, 'at' | 'source' | 'destination' | 'content'>

/** Of a packet so much is kept; its head tells how long it was. */
const snapLength = 65_535

const fileHead = (): Buffer => {
  const head = Buffer.alloc(24)
  head.writeUInt32LE(0xa1b2c3d4, 0)
  head.writeUInt16LE(2, 4)
  head.writeUInt16LE(4, 6)
  head.writeUInt32LE(snapLength, 16)
  head.writeUInt32LE(1, 20)
  return head
}

/** The ones' complement sum of 16-bit words (RFC 1071). */
const checksum = (...parts: readonly Buffer[]): number => {
  const bytes = Buffer.concat(parts)
  let sum = 0
  for (let at = 0; at + 1 < bytes.length; at += 2) sum += bytes.readUInt16BE(at)
  if (bytes.length % 2 === 1) sum += (bytes.at(-1) ?? 0) << 8
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16)
  return ~sum & 0xffff
}

const udp = 17
const udpHead = 8
const ipv4Head = 20
/** What the length fields of IPv4 and UDP hold, both heads included. */
const maxDatagramBytes = 65_535 - ipv4Head

/** HEP tells no hardware addresses: the ends are 02:00:00:00:00:01 and …:02, which are nobody's. */
const ethernet = (etherType: number): Buffer => {
  const head = Buffer.from('0200000000020200000000010000', 'hex')
  head.writeUInt16BE(etherType, 12)
  return head
}

const udpOf = (from: Buffer, to: Buffer, { source, destination, content }: Datagram): Buffer => {
  // What no datagram can hold is cut.
  const payload = Buffer.from(content).subarray(0, maxDatagramBytes - udpHead)
  const head = Buffer.alloc(udpHead)
  head.writeUInt16BE(source.port, 0)
  head.writeUInt16BE(destination.port, 2)
  head.writeUInt16BE(udpHead + payload.length, 4)
  const pseudo = Buffer.alloc(8)
  pseudo.writeUInt32BE(udpHead + payload.length, 0)
  pseudo.writeUInt32BE(udp, 4)
  // 0 would say that there is no checksum (RFC 768).
  head.writeUInt16BE(checksum(from, to, pseudo, head, payload) || 0xffff, 6)
  return Buffer.concat([head, payload])
}

const ipv4 = (from: Buffer, to: Buffer, datagram: Buffer): Buffer => {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0x4500, 0)
  head.writeUInt16BE(ipv4Head + datagram.length, 2)
  // Not to be fragmented; 64 hops.
  head.writeUInt16BE(0x4000, 6)
  head.writeUInt8(64, 8)
  head.writeUInt8(udp, 9)
  head.writeUInt16BE(checksum(head, from, to), 10)
  return Buffer.concat([ethernet(0x0800), head, from, to, datagram])
}

const ipv6 = (from: Buffer, to: Buffer, datagram: Buffer): Buffer => {
  const head = Buffer.alloc(8)
  head.writeUInt8(0x60, 0)
  head.writeUInt16BE(datagram.length, 4)
  head.writeUInt8(udp, 6)
  head.writeUInt8(64, 7)
  return Buffer.concat([ethernet(0x86dd), head, from, to, datagram])
}

const recordOf = (datagram: Datagram): Buffer[] => {
  const [from, to] = [addressBytes(datagram.source.address), addressBytes(datagram.destination.address)]
  const frame = (from.length === 4 ? ipv4 : ipv6)(from, to, udpOf(from, to, datagram))
  const captured = frame.subarray(0, snapLength)
  const head = Buffer.alloc(16)
  head.writeUInt32LE(Math.floor(datagram.at / 1_000_000), 0)
  head.writeUInt32LE(datagram.at % 1_000_000, 4)
  head.writeUInt32LE(captured.length, 8)
  head.writeUInt32LE(frame.length, 12)
  return [head, captured]
}

export const toPcap = (datagrams: readonly Datagram[]): Buffer =>
  Buffer.concat([fileHead(), ...datagrams.flatMap(recordOf)])
