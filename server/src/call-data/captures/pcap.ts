import ipaddr from 'ipaddr.js'
import type { Endpoint, ReceivedMessage } from './captures.ts'

/**
 * Writer for libpcap files (version 2.4, little-endian, Ethernet). Each message becomes one UDP datagram over IPv4 or
 * IPv6, regardless of its original transport.
 */

export type Datagram = Pick<ReceivedMessage, 'at' | 'source' | 'destination' | 'content'>

/** Maximum number of bytes per packet. The record header contains the original length. */
const snapLength = 65_535

const createFileHeader = (): Buffer => {
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
/** Limit of the length fields of IPv4 and UDP, including both headers. */
const maxDatagramBytes = 65_535 - ipv4Head

/** HEP does not contain MAC addresses. The fixed addresses are locally administered. */
const ethernet = (etherType: number): Buffer => {
  const head = Buffer.from('0200000000020200000000010000', 'hex')
  head.writeUInt16BE(etherType, 12)
  return head
}

const buildUdpDatagram = (from: Buffer, to: Buffer, { source, destination, content }: Datagram): Buffer => {
  // Content that exceeds the maximum datagram size is truncated.
  const payload = Buffer.from(content).subarray(0, maxDatagramBytes - udpHead)
  const head = Buffer.alloc(udpHead)
  head.writeUInt16BE(source.port, 0)
  head.writeUInt16BE(destination.port, 2)
  head.writeUInt16BE(udpHead + payload.length, 4)
  const pseudo = Buffer.alloc(8)
  pseudo.writeUInt32BE(udpHead + payload.length, 0)
  pseudo.writeUInt32BE(udp, 4)
  // A checksum of 0 would mean that there is none (RFC 768).
  head.writeUInt16BE(checksum(from, to, pseudo, head, payload) || 0xffff, 6)
  return Buffer.concat([head, payload])
}

const ipv4 = (from: Buffer, to: Buffer, datagram: Buffer): Buffer => {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0x4500, 0)
  head.writeUInt16BE(ipv4Head + datagram.length, 2)
  // Don't Fragment flag, and a TTL of 64.
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

const toBytes = ({ address }: Endpoint): Buffer => Buffer.from(ipaddr.parse(address).toByteArray())

const buildRecord = (datagram: Datagram): Buffer[] => {
  const [from, to] = [toBytes(datagram.source), toBytes(datagram.destination)]
  const frame = (from.length === 4 ? ipv4 : ipv6)(from, to, buildUdpDatagram(from, to, datagram))
  const captured = frame.subarray(0, snapLength)
  const head = Buffer.alloc(16)
  head.writeUInt32LE(Math.floor(datagram.at / 1_000_000), 0)
  head.writeUInt32LE(datagram.at % 1_000_000, 4)
  head.writeUInt32LE(captured.length, 8)
  head.writeUInt32LE(frame.length, 12)
  return [head, captured]
}

/** Returns a libpcap file (version 2.4) with an Ethernet frame for each datagram. */
export const toPcap = (datagrams: readonly Datagram[]): Buffer =>
  Buffer.concat([createFileHeader(), ...datagrams.flatMap(buildRecord)])
