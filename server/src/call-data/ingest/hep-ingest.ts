import { parseSipMessage } from '@patchbay/contract/sip/message-head'
import type { FastifyBaseLogger } from 'fastify'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import { setImmediate as othersFirst, setTimeout as pause } from 'node:timers/promises'
import { unzipSync } from 'node:zlib'
import { throttle } from '../../lib/throttle.ts'
import type { CaptureSink, SeenMessage } from '../captures/captures.ts'
import { type HepPacket, readHep } from '../captures/hep.ts'
import { sameText } from './authentication.ts'

/**
 * What Homer is to the agents that capture SIP: HEP version 3 over UDP. Nobody is answered, so what cannot be kept is
 * counted. OPTIONS, which only keep connections alive, would be most of what is stored: they are left out.
 */

export interface HepIntakeOptions {
  sink: CaptureSink
  logger: FastifyBaseLogger
  /** the authentication key that packets must carry; without it whoever reaches the port is let in */
  key?: string
  /** messages that wait to be stored, and bytes of them; 10,000 and 16 MiB unless told */
  maxPending?: number
  maxBytes?: number
  /** how long a lot is tried again when it could not be stored, a second between two tries; 3 unless told */
  tries?: number
}

/** Packets since the start, and what became of them. */
export interface HepCounts {
  received: number
  stored: number
  /** came before */
  repeated: number
  /** no SIP, or none with a Call-ID, or OPTIONS */
  ignored: number
  /** no HEP version 3 */
  unreadable: number
  /** without the right key */
  refused: number
  /** came while as much was waiting as may */
  crowded: number
  /** the database did not take them */
  lost: number
}

export interface HepIntake {
  /** Answers the port. */
  listen(address: { host: string; port: number }): Promise<number>
  counts(): HepCounts
  /** Stores what waits, as far as it can in so long. */
  close(milliseconds: number): Promise<void>
}

const sip = 1

/** What one datagram could have held. */
const maxUnpackedBytes = 65_000

const contentOf = ({ payload, isCompressed }: HepPacket): Buffer =>
  isCompressed ? unzipSync(payload, { maxOutputLength: maxUnpackedBytes }) : payload

/** What becomes of a packet. */
const sorted = (packet: Buffer, key: string | undefined): SeenMessage | 'ignored' | 'unreadable' | 'refused' => {
  const read = readHep(packet)
  if (read === undefined) return 'unreadable'
  if (key !== undefined && !sameText(read.key, key)) return 'refused'
  if (read.type !== sip) return 'ignored'
  try {
    const content = contentOf(read)
    const message = parseSipMessage(content.toString('utf8'))
    if (message === undefined || message.method === 'OPTIONS') return 'ignored'
    const { at, transport, source, destination } = read
    return { sip_callid: message.callid, method: message.method, at, transport, source, destination, content }
  } catch {
    return 'unreadable'
  }
}

/** Messages that are stored at a time; between two lots others have their turn. */
const lotMessages = 500
const lotBytes = 4 * 1024 * 1024
/** How long messages are gathered before they are stored. */
const gatherMilliseconds = 100
const retryMilliseconds = 1000
const receiveBuffer = 4 * 1024 * 1024

interface Waiting {
  isFull(): boolean
  add(message: SeenMessage): void
  /** the first of them */
  take(): SeenMessage[]
}

const createWaiting = (maxMessages: number, maxBytes: number): Waiting => {
  const messages: SeenMessage[] = []
  let bytes = 0
  return {
    isFull: () => messages.length >= maxMessages || bytes >= maxBytes,
    add(message) {
      messages.push(message)
      bytes += message.content.length
    },
    take() {
      let [count, size] = [0, 0]
      for (const { content } of messages.slice(0, lotMessages)) {
        size += content.length
        if (count > 0 && size > lotBytes) break
        count += 1
      }
      const lot = messages.splice(0, count)
      for (const { content } of lot) bytes -= content.length
      return lot
    },
  }
}

export const createHepIntake = ({
  sink,
  logger,
  key,
  maxPending = 10_000,
  maxBytes = 16 * 1024 * 1024,
  tries = 3,
}: HepIntakeOptions): HepIntake => {
  const counts: HepCounts = {
    received: 0,
    stored: 0,
    repeated: 0,
    ignored: 0,
    unreadable: 0,
    refused: 0,
    crowded: 0,
    lost: 0,
  }
  const waiting = createWaiting(maxPending, maxBytes)
  const closing = new AbortController()
  let socket: Socket | undefined
  let storing: Promise<void> | undefined
  let trouble: unknown

  const tell = throttle(60_000, async () => {
    const what = 'captured SIP is lost: too much of it comes at once, or the database does not take it'
    logger.warn({ ...counts, ...(trouble === undefined ? {} : { err: trouble }) }, what)
  })

  const storeLot = async (lot: readonly SeenMessage[]): Promise<void> => {
    for (let attempt = 1; attempt <= tries; attempt += 1)
      try {
        const added = await sink.store(lot)
        counts.stored += added
        counts.repeated += lot.length - added
        return
      } catch (error) {
        trouble = error
        if (attempt < tries && !closing.signal.aborted) await pause(retryMilliseconds)
      }
    counts.lost += lot.length
    await tell()
  }

  const drain = async (): Promise<void> => {
    for (let lot = waiting.take(); lot.length > 0; lot = waiting.take()) {
      await storeLot(lot)
      await othersFirst()
    }
  }

  const gather = async (): Promise<void> => {
    // Closing waits for no more of them.
    await pause(gatherMilliseconds, undefined, { signal: closing.signal }).catch(() => {})
    await drain()
    storing = undefined
  }

  const receive = (packet: Buffer): void => {
    counts.received += 1
    if (waiting.isFull()) {
      counts.crowded += 1
      void tell()
      return
    }
    const message = sorted(packet, key)
    if (typeof message === 'string') {
      counts[message] += 1
      return
    }
    waiting.add(message)
    storing ??= gather()
  }

  return {
    async listen({ host, port }) {
      socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4', recvBufferSize: receiveBuffer })
      socket.on('message', receive).bind(port, host)
      await once(socket, 'listening')
      socket.on('error', (error) => logger.error({ err: error }, 'captured SIP: receiving failed'))
      return socket.address().port
    },
    counts: () => ({ ...counts }),
    async close(milliseconds) {
      closing.abort()
      socket?.close()
      await Promise.race([storing, pause(milliseconds, undefined, { ref: false })])
      logger.debug(counts, 'captured SIP: packets since the start')
    },
  }
}
