import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Encodes HEP version 3 packets like a capture agent. Written from the specification, independently of the server's
 * code.
 */

export interface CapturedDatagram {
  /** IPv4 or IPv6. */
  source: string
  sourcePort: number
  destination: string
  destinationPort: number
  payload: Buffer
  /** Microseconds since the Unix epoch. */
  at?: number
  /** Payload type: 1 is SIP. */
  type?: number
  /** IP protocol number. Default: 17, UDP. */
  transport?: number
  /** ID of the capture agent. */
  agent?: number
  key?: string
  /** True if the payload is compressed with zlib. */
  isCompressed?: boolean
}

export const hepChunk = (type: number, content: Buffer, vendor = 0): Buffer => {
  const head = Buffer.alloc(6)
  head.writeUInt16BE(vendor, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(6 + content.length, 4)
  return Buffer.concat([head, content])
}

/** Combines chunks into a packet. */
export const toHepPacket = (chunks: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(chunks)
  const head = Buffer.from('HEP3\0\0', 'latin1')
  head.writeUInt16BE(6 + body.length, 4)
  return Buffer.concat([head, body])
}

const number = (type: number, value: number, length: number): Buffer => {
  const content = Buffer.alloc(length)
  content.writeUIntBE(value, 0, length)
  return hepChunk(type, content)
}

const toAddressBytes = (text: string): Buffer => Buffer.from(ipaddr.parse(text).toByteArray())

export const hepPacket = ({
  at = Date.now() * 1000,
  type = 1,
  transport = 17,
  agent = 2001,
  isCompressed = false,
  ...seen
}: CapturedDatagram): Buffer => {
  const isSix = isIPv6(seen.source)
  return toHepPacket([
    number(0x01, isSix ? 10 : 2, 1),
    number(0x02, transport, 1),
    hepChunk(isSix ? 0x05 : 0x03, toAddressBytes(seen.source)),
    hepChunk(isSix ? 0x06 : 0x04, toAddressBytes(seen.destination)),
    number(0x07, seen.sourcePort, 2),
    number(0x08, seen.destinationPort, 2),
    number(0x09, Math.floor(at / 1_000_000), 4),
    number(0x0a, at % 1_000_000, 4),
    number(0x0b, type, 1),
    number(0x0c, agent, 4),
    ...(seen.key === undefined ? [] : [hepChunk(0x0e, Buffer.from(seen.key))]),
    hepChunk(0x13, Buffer.from('sbc-1')),
    hepChunk(isCompressed ? 0x10 : 0x0f, seen.payload),
  ])
}

export interface Agent {
  send(packet: Buffer): Promise<void>
  stop(): void
}

/** Creates an agent that sends packets to a port on this machine. */
export const hepAgent = (port: number): Agent => {
  const socket: Socket = createSocket('udp4')
  return {
    send: (packet) =>
      new Promise((resolve, reject) => {
        socket.send(packet, port, '127.0.0.1', (error) => (error ? reject(error) : resolve()))
      }),
    stop: () => socket.close(),
  }
}

/**
 * A relay between two SIP agents that reports every datagram. By default, it reports them as if the agents communicated
 * directly. As a hop, it reports each datagram twice: as received and as forwarded.
 */
export interface Relay {
  port: number
  stop(): void
}

const microseconds = (): number => Math.floor((performance.timeOrigin + performance.now()) * 1000)

export const sipRelay = async (
  host: string,
  server: number,
  report: (datagram: CapturedDatagram) => void,
  isHop = false,
): Promise<Relay> => {
  const kind = isIPv6(host) ? 'udp6' : 'udp4'
  const [front, back] = [createSocket(kind), createSocket(kind)]
  let client = 0
  let last = 0
  const reportDatagram = (sourcePort: number, destinationPort: number, payload: Buffer) => {
    // Timestamps are unique, so that the order is unambiguous.
    last = Math.max(last + 1, microseconds())
    report({ source: host, sourcePort, destination: host, destinationPort, payload, at: last })
  }
  const reportForwarded = (sourcePort: number, destinationPort: number, payload: Buffer) => {
    if (!isHop) return reportDatagram(sourcePort, destinationPort, payload)
    const own = front.address().port
    reportDatagram(sourcePort, own, payload)
    reportDatagram(own, destinationPort, payload)
  }
  front.on('message', (payload, { port }) => {
    client = port
    reportForwarded(port, server, payload)
    back.send(payload, server, host)
  })
  back.on('message', (payload) => {
    reportForwarded(server, client, payload)
    front.send(payload, client, host)
  })
  front.bind(0, host)
  back.bind(0, host)
  await Promise.all([once(front, 'listening'), once(back, 'listening')])
  return {
    port: front.address().port,
    stop: () => {
      front.close()
      back.close()
    },
  }
}
