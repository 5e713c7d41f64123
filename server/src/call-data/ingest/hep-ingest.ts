import { parseSipMessage } from '@patchbay/contract/sip/message-head'
import type { FastifyBaseLogger } from 'fastify'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import { setImmediate as othersFirst, setTimeout as pause } from 'node:timers/promises'
import { unzipSync } from 'node:zlib'
import { intakeEvents, type RejectionReason } from '../../lib/telemetry.ts'
import { throttle } from '../../lib/throttle.ts'
import type { CaptureSink, ReceivedMessage } from '../captures/captures.ts'
import { type HepPacket, readHep } from '../captures/hep.ts'
import { isEqual } from './authentication.ts'

/**
 * Receives captured SIP like a Homer server: HEP version 3 over UDP. The protocol has no responses, so packets that
 * cannot be stored are only counted. OPTIONS are not stored because they only keep connections alive and would
 * outnumber all other messages.
 */

export interface HepIntakeOptions {
  sink: CaptureSink
  logger: FastifyBaseLogger
  /** Authentication key that packets must carry. Without it, every sender that reaches the port is accepted. */
  key?: string
  /** Maximum number of messages that wait to be stored, and of their bytes. Default: 10,000 and 16 MiB. */
  maxPending?: number
  maxBytes?: number
  /** Time in milliseconds to collect messages before they are stored, and maximum messages of a batch. Default: 100 and 500. */
  gatherMs?: number
  maxBatchMessages?: number
  /** Attempts to store a batch, one second apart. Default: 3. */
  maxAttempts?: number
}

/** Packets since the start, by outcome. */
export interface HepCounts {
  received: number
  stored: number
  /** Received before. */
  repeated: number
  /** Packets without SIP, without a Call-ID, or with OPTIONS. */
  ignored: number
  /** Packets that are not HEP version 3. */
  unreadable: number
  /** Without the correct key. */
  rejected: number
  /** Dropped because the queue was full. */
  dropped: number
  /** Dropped because the database rejected them repeatedly. */
  lost: number
}

export interface HepIntake {
  /** Starts listening. Returns the port. */
  listen(address: { host: string; port: number }): Promise<number>
  counts(): HepCounts
  /** Stores waiting messages for at most this long. */
  close(milliseconds: number): Promise<void>
}

const rejectionReasons: Readonly<Record<Exclude<keyof HepCounts, 'received' | 'stored'>, RejectionReason>> = {
  repeated: 'repeated',
  ignored: 'ignored',
  unreadable: 'invalid',
  rejected: 'not_allowed',
  dropped: 'busy',
  lost: 'failed',
}

const publishCount = (outcome: Exclude<keyof HepCounts, 'received'>, count: number): void => {
  if (!intakeEvents.isObserved) return
  const data = 'sip_messages'
  intakeEvents.publish(
    outcome === 'stored'
      ? { is: 'stored', data, count }
      : { is: 'rejected', data, reason: rejectionReasons[outcome], count },
  )
}

const sip = 1

/** Maximum size of a datagram's content. */
const maxUnpackedBytes = 65_000

const unpack = ({ payload, isCompressed }: HepPacket): Buffer =>
  isCompressed ? unzipSync(payload, { maxOutputLength: maxUnpackedBytes }) : payload

/** Returns the message of a packet, or the reason why it is not stored. */
const classify = (packet: Buffer, key: string | undefined): ReceivedMessage | 'ignored' | 'unreadable' | 'rejected' => {
  const packetData = readHep(packet)
  if (packetData === undefined) return 'unreadable'
  if (key !== undefined && !isEqual(packetData.key, key)) return 'rejected'
  if (packetData.type !== sip) return 'ignored'
  try {
    const content = unpack(packetData)
    const message = parseSipMessage(content.toString('utf8'))
    if (message === undefined || message.method === 'OPTIONS') return 'ignored'
    const { at, transport, source, destination } = packetData
    return { sip_callid: message.callid, method: message.method, at, transport, source, destination, content }
  } catch {
    return 'unreadable'
  }
}

/** Maximum size of a batch. Other tasks run between two batches. */
const maxBatchBytes = 4 * 1024 * 1024
const retryMs = 1000
const receiveBuffer = 4 * 1024 * 1024

interface MessageQueue {
  isFull(): boolean
  add(message: ReceivedMessage): void
  /** Removes the first batch and returns it. */
  takeBatch(): ReceivedMessage[]
}

const createMessageQueue = (maxMessages: number, maxBytes: number, maxBatchMessages: number): MessageQueue => {
  const messages: ReceivedMessage[] = []
  let bytes = 0
  return {
    isFull: () => messages.length >= maxMessages || bytes >= maxBytes,
    add(message) {
      messages.push(message)
      bytes += message.content.length
    },
    takeBatch() {
      let [count, size] = [0, 0]
      for (const { content } of messages.slice(0, maxBatchMessages)) {
        size += content.length
        if (count > 0 && size > maxBatchBytes) break
        count += 1
      }
      const batch = messages.splice(0, count)
      for (const { content } of batch) bytes -= content.length
      return batch
    },
  }
}

/**
 * Creates the server for captured SIP over HEP version 3 (UDP). Stores messages in batches, and drops messages while
 * too many are waiting.
 * @param options `key` is the authentication key that writers must send
 */
export const createHepIntake = ({
  sink,
  logger,
  key,
  maxPending = 10_000,
  maxBytes = 16 * 1024 * 1024,
  gatherMs = 100,
  maxBatchMessages = 500,
  maxAttempts: tries = 3,
}: HepIntakeOptions): HepIntake => {
  const counts: HepCounts = {
    received: 0,
    stored: 0,
    repeated: 0,
    ignored: 0,
    unreadable: 0,
    rejected: 0,
    dropped: 0,
    lost: 0,
  }
  const queue = createMessageQueue(maxPending, maxBytes, maxBatchMessages)
  const closing = new AbortController()
  let socket: Socket | undefined
  let storing: Promise<void> | undefined
  let lastError: unknown

  const warnAboutLoss = throttle(60_000, async () => {
    const message = 'captured SIP was lost: it arrives too fast, or the database does not accept it'
    logger.warn({ ...counts, ...(lastError === undefined ? {} : { err: lastError }) }, message)
  })

  const storeBatch = async (batch: readonly ReceivedMessage[]): Promise<void> => {
    for (let attempt = 1; attempt <= tries; attempt += 1)
      try {
        const added = await sink.store(batch)
        publishCount('stored', added)
        if (added < batch.length) publishCount('repeated', batch.length - added)
        counts.stored += added
        counts.repeated += batch.length - added
        return
      } catch (error) {
        lastError = error
        if (attempt < tries && !closing.signal.aborted) await pause(retryMs)
      }
    publishCount('lost', batch.length)
    counts.lost += batch.length
    await warnAboutLoss()
  }

  const drain = async (): Promise<void> => {
    for (let batch = queue.takeBatch(); batch.length > 0; batch = queue.takeBatch()) {
      await storeBatch(batch)
      await othersFirst()
    }
  }

  const gather = async (): Promise<void> => {
    // Closing ends the collection period early.
    await pause(gatherMs, undefined, { signal: closing.signal }).catch(() => {})
    await drain()
    storing = undefined
  }

  const receive = (packet: Buffer): void => {
    counts.received += 1
    if (intakeEvents.isObserved) intakeEvents.publish({ is: 'received', intake: 'hep', bytes: packet.length })
    if (queue.isFull()) {
      counts.dropped += 1
      publishCount('dropped', 1)
      void warnAboutLoss()
      return
    }
    const message = classify(packet, key)
    if (typeof message === 'string') {
      counts[message] += 1
      publishCount(message, 1)
      return
    }
    queue.add(message)
    storing ??= gather()
  }

  return {
    async listen({ host, port }) {
      socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4', recvBufferSize: receiveBuffer })
      socket.on('message', receive).bind(port, host)
      await once(socket, 'listening')
      socket.on('error', (error) => logger.error({ err: error }, 'the socket for captured SIP failed'))
      return socket.address().port
    },
    counts: () => ({ ...counts }),
    async close(milliseconds) {
      closing.abort()
      socket?.close()
      await Promise.race([storing, pause(milliseconds, undefined, { ref: false })])
      logger.debug(counts, 'captured SIP since the start')
    },
  }
}
