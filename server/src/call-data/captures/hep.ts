import ipaddr from 'ipaddr.js'
import type { Endpoint } from './captures.ts'

/** Parser for HEP version 3, the protocol of capture agents ("HEP3 Network Protocol Specification", rev. 36). */

export interface HepPacket {
  source: Endpoint
  destination: Endpoint
  /** IP protocol number: 17 for UDP, 6 for TCP. */
  transport: number
  /** Microseconds since the Unix epoch. */
  at: number
  /** Protocol of the payload; 1 is SIP. */
  type: number
  payload: Buffer
  /** True if the payload is compressed with zlib or gzip. */
  isCompressed: boolean
  /** ID of the capture agent. Undefined if the packet contains none. */
  agent: number | undefined
  /** Authentication key of the agent. Empty if the packet contains no key. */
  key: string
}

/** Types of generic chunks. */
const chunk = {
  family: 0x01,
  transport: 0x02,
  source4: 0x03,
  destination4: 0x04,
  source6: 0x05,
  destination6: 0x06,
  sourcePort: 0x07,
  destinationPort: 0x08,
  seconds: 0x09,
  microseconds: 0x0a,
  type: 0x0b,
  agent: 0x0c,
  key: 0x0e,
  payload: 0x0f,
  compressed: 0x10,
} as const

const magic = 'HEP3'

/** Bytes at the beginning of a packet, and of a chunk, that contain its length. */
export const hepHeadLength = 6

/** Returns the length that the head of a packet states. Returns undefined if it is not the head of a packet. */
export const readHepLength = (head: Buffer): number | undefined => {
  if (head.length < hepHeadLength || head.toString('latin1', 0, magic.length) !== magic) return undefined
  const length = head.readUInt16BE(magic.length)
  return length < hepHeadLength ? undefined : length
}

/** Reads the generic chunks of a packet. Returns undefined if a length field is invalid. */
const readChunks = (packet: Buffer): ReadonlyMap<number, Buffer> | undefined => {
  const end = readHepLength(packet)
  if (end === undefined || end > packet.length) return undefined
  const chunks = new Map<number, Buffer>()
  let at = hepHeadLength
  while (at < end) {
    if (at + hepHeadLength > end) return undefined
    const length = packet.readUInt16BE(at + 4)
    if (length < hepHeadLength || at + length > end) return undefined
    const vendor = packet.readUInt16BE(at)
    if (vendor === 0) chunks.set(packet.readUInt16BE(at + 2), packet.subarray(at + hepHeadLength, at + length))
    at += length
  }
  return chunks
}

/** Formats an address of 4 or 16 bytes (RFC 5952). */
const formatAddress = (bytes: Buffer): string => ipaddr.fromByteArray([...bytes]).toString()

/** Why a packet cannot be stored: its lengths contradict each other, or chunks are missing. */
export type HepError = 'invalid' | 'no_address' | 'incomplete'

/** By address family: 2 is AF_INET. Others are AF_INET6, whose number depends on the operating system. */
const familyOfIpv4 = 2
const addressChunks = [
  { source: chunk.source4, destination: chunk.destination4, length: 4 },
  { source: chunk.source6, destination: chunk.destination6, length: 16 },
] as const

/**
 * Returns the addresses of a packet. The chunks of addresses decide: agents write 1, 10, 23, 28, or 30 as the family.
 * It is used only if a packet contains the addresses of both.
 */
const readAddresses = (chunks: ReadonlyMap<number, Buffer>): readonly [Buffer, Buffer] | undefined => {
  const [ipv4, ipv6] = addressChunks.map(({ source, destination, length }) => {
    const [from, to] = [chunks.get(source), chunks.get(destination)]
    return from?.length === length && to?.length === length ? ([from, to] as const) : undefined
  })
  const isIpv4 = chunks.get(chunk.family)?.[0] === familyOfIpv4
  return isIpv4 ? (ipv4 ?? ipv6) : (ipv6 ?? ipv4)
}

/** Parses a HEP packet. Returns the error if it is malformed or a required chunk is missing. */
export const readHep = (packet: Buffer): HepPacket | HepError => {
  const chunks = readChunks(packet)
  if (chunks === undefined) return 'invalid'
  const number = (type: number, length: number): number | undefined => {
    const bytes = chunks.get(type)
    return bytes?.length === length ? bytes.readUIntBE(0, length) : undefined
  }
  const addresses = readAddresses(chunks)
  if (addresses === undefined) return 'no_address'
  const [source, destination] = addresses
  const sourcePort = number(chunk.sourcePort, 2)
  const destinationPort = number(chunk.destinationPort, 2)
  const seconds = number(chunk.seconds, 4)
  // Some agents write a million or more, which belongs to the next seconds.
  const microseconds = number(chunk.microseconds, 4) ?? 0
  const type = number(chunk.type, 1)
  const plain = chunks.get(chunk.payload)
  const payload = plain ?? chunks.get(chunk.compressed)
  if (payload === undefined || type === undefined) return 'incomplete'
  if (sourcePort === undefined || destinationPort === undefined || seconds === undefined) return 'incomplete'
  return {
    source: { address: formatAddress(source), port: sourcePort },
    destination: { address: formatAddress(destination), port: destinationPort },
    transport: number(chunk.transport, 1) ?? 17,
    at: seconds * 1_000_000 + microseconds,
    type,
    payload,
    isCompressed: plain === undefined,
    agent: number(chunk.agent, 4),
    key: chunks.get(chunk.key)?.toString('utf8') ?? '',
  }
}

const startLine = /^(?:([A-Z]{1,20}) (\w{1,10}):[^\r\n]* SIP\/2\.0|SIP\/2\.0 (\d{3}))/
const maxDescribedChunks = 20

/** Returns the first line of a SIP message without its user and host, which identify people. */
const describeStartLine = (payload: Buffer): string => {
  const [, method, scheme, status] = startLine.exec(payload.toString('latin1', 0, 500)) ?? []
  if (status !== undefined) return `, with a response ${status}`
  return method === undefined ? ', without a start line of SIP' : `, with ${method} ${scheme}:…`
}

/** Describes a packet by its structure, for administrators. Contains neither numbers nor texts of a call. */
export const describeHep = (packet: Buffer): string => {
  const chunks = readChunks(packet)
  const size = `${packet.length} bytes`
  if (chunks === undefined)
    return readHepLength(packet) === undefined ? `${size} that are not HEP version 3` : `${size} with wrong lengths`
  const list = [...chunks].slice(0, maxDescribedChunks).map(([type, bytes]) => `${type} (${bytes.length} bytes)`)
  const payload = chunks.get(chunk.payload)
  return `${size} with the chunks ${list.join(', ')}${payload === undefined ? '' : describeStartLine(payload)}`
}
