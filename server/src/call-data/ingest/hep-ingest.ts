import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import { setImmediate as othersFirst, setTimeout as pause } from 'node:timers/promises'
import { unzipSync } from 'node:zlib'
import { parseSipMessage } from '@patchbay/rules/sip/message-head'
import type { FastifyBaseLogger } from 'fastify'
import type { IpNetwork } from '../../lib/ip-networks.ts'
import { intakeEvents, type RejectionReason } from '../../lib/telemetry.ts'
import { throttle } from '../../lib/throttle.ts'
import type { CaptureSink, ReceivedMessage } from '../captures/captures.ts'
import { describeHep, type HepError, type HepPacket, readHep } from '../captures/hep.ts'
import { isEqual } from './credentials.ts'
import { type Admission, createHepConnections, type HepConnectionLimits } from './hep-connections.ts'
import type { OnRejectedSender } from './rejected-senders.ts'
import { createSenderCheck } from './sender-check.ts'
import type { OnUnstored } from './unstored-records.ts'

/**
 * Receives captured SIP like a Homer server: HEP version 3 over UDP and TCP. The protocol has no responses, so packets
 * that cannot be stored are only counted. OPTIONS are not stored because they only keep connections alive and would
 * outnumber all other messages.
 */

export interface HepIntakeOptions {
  sink: CaptureSink
  logger: FastifyBaseLogger
  /** Authentication key that packets must carry, unless their sender is listed. */
  key?: string
  /** Networks of senders that need no key. Without both, every sender that reaches the port is accepted. */
  senders?: readonly IpNetwork[]
  /** Called with the address of each rejected packet or connection. */
  onRejectedSender?: OnRejectedSender
  /** Called for each packet that contains nothing to store. */
  onUnstored?: OnUnstored
  connectionLimits?: Partial<HepConnectionLimits>
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
  /** Packets with OPTIONS. */
  ignored: number
  /** Packets of other protocols, such as RTCP. */
  otherProtocol: number
  /** Packets without a SIP message that has a Call-ID. */
  withoutCallId: number
  /** Packets that are not HEP version 3, or whose payload cannot be decompressed. */
  unreadable: number
  /** Packets without the addresses of source and destination. */
  withoutAddress: number
  /** Packets without a port, a time, or a payload. */
  incomplete: number
  /** Without the correct key. */
  rejected: number
  /** From an address that is not listed, if there is no key. Connections count once. */
  unlisted: number
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
  otherProtocol: 'other_protocol',
  withoutCallId: 'no_call_id',
  unreadable: 'invalid',
  withoutAddress: 'no_address',
  incomplete: 'incomplete',
  rejected: 'not_allowed',
  unlisted: 'unknown_sender',
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

const errorOutcomes = {
  invalid: 'unreadable',
  no_address: 'withoutAddress',
  incomplete: 'incomplete',
} as const satisfies Record<HepError, keyof HepCounts>

/** The outcomes of packets that contain nothing to store, and what the system status counts for them. */
const unstoredReasons = {
  unreadable: 'invalid',
  withoutAddress: 'no_address',
  incomplete: 'incomplete',
  withoutCallId: 'no_call_id',
  otherProtocol: 'other_protocol',
} as const

type Unstored = keyof typeof unstoredReasons

/** Returns the message of a packet, or the reason why it is not stored. */
export const readMessage = (packetData: HepPacket): ReceivedMessage | 'ignored' | Unstored => {
  if (packetData.type !== sip) return 'otherProtocol'
  try {
    // A copy, because a slice would keep the whole packet in memory while the message waits to be stored.
    const content = packetData.isCompressed
      ? unzipSync(packetData.payload, { maxOutputLength: maxUnpackedBytes })
      : Buffer.from(packetData.payload)
    const message = parseSipMessage(content.toString('utf8'))
    if (message === undefined) return 'withoutCallId'
    if (message.method === 'OPTIONS') return 'ignored'
    const { at, transport, source, destination, agent } = packetData
    return { sip_callid: message.callid, method: message.method, at, transport, source, destination, agent, content }
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

/** Attempts to find a number that is free for UDP and TCP, if the system chooses it. */
const maxPortAttempts = 20

/**
 * Creates the server for captured SIP over HEP version 3, on the same port of UDP and TCP. Stores messages in batches,
 * and drops messages while too many are waiting.
 */
export const createHepIntake = ({
  sink,
  logger,
  key,
  senders,
  onRejectedSender = () => {},
  onUnstored = () => {},
  connectionLimits,
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
    otherProtocol: 0,
    withoutCallId: 0,
    unreadable: 0,
    withoutAddress: 0,
    incomplete: 0,
    rejected: 0,
    unlisted: 0,
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

  const count = (outcome: 'ignored' | Unstored | 'rejected' | 'unlisted' | 'dropped'): void => {
    counts[outcome] += 1
    publishCount(outcome, 1)
  }

  const countUnstored = (outcome: Unstored, packet: Buffer, address: string): void => {
    count(outcome)
    onUnstored(unstoredReasons[outcome], address, () => describeHep(packet))
  }

  const countReceived = (packet: Buffer): void => {
    counts.received += 1
    if (intakeEvents.isObserved) intakeEvents.publish({ is: 'received', intake: 'hep', bytes: packet.length })
  }

  const drop = (): void => {
    count('dropped')
    void warnAboutLoss()
  }

  const isListed = createSenderCheck(senders)
  const admit = (address: string): Admission => {
    if (isListed(address)) return 'accepted'
    if (key !== undefined) return 'with_key'
    if (senders === undefined) return 'accepted'
    count('unlisted')
    onRejectedSender(address, 'not_listed')
    return 'rejected'
  }

  /** Returns false if the packet lacks the key that it needs. */
  const isAuthentic = (packetData: HepPacket, admission: Admission, address: string): boolean => {
    if (admission === 'accepted' || (key !== undefined && isEqual(packetData.key, key))) return true
    count('rejected')
    onRejectedSender(address, packetData.key === '' ? 'no_credentials' : 'wrong_credentials')
    return false
  }

  /** Returns false if the lengths of the packet are wrong or it lacks the key, which ends a connection. */
  const receive = (packet: Buffer, address: string, admission: Admission): boolean => {
    countReceived(packet)
    const packetData = readHep(packet)
    if (typeof packetData === 'string') {
      countUnstored(errorOutcomes[packetData], packet, address)
      // The next packet of a connection can only be found after correct lengths.
      return packetData !== 'invalid'
    }
    if (!isAuthentic(packetData, admission, address)) return false
    const message = readMessage(packetData)
    if (typeof message === 'string') {
      if (message === 'ignored') count(message)
      else countUnstored(message, packet, address)
      return true
    }
    if (queue.isFull()) {
      drop()
      return true
    }
    queue.add(message)
    storing ??= gather()
    return true
  }

  const receiveDatagram = (packet: Buffer, { address }: { address: string }): void => {
    const admission = admit(address)
    if (admission === 'rejected') return
    if (!queue.isFull()) {
      receive(packet, address, admission)
      return
    }
    // Datagrams arrive at any rate, so that a full queue must cost as little as possible.
    countReceived(packet)
    drop()
  }

  const connections = createHepConnections({
    admit,
    onPacket: receive,
    onBrokenStream: () => count('unreadable'),
    limits: connectionLimits,
  })

  const bindDatagrams = async (host: string, port: number): Promise<Socket> => {
    const bound = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4', recvBufferSize: receiveBuffer })
    bound.on('message', receiveDatagram).bind(port, host)
    await once(bound, 'listening')
    return bound
  }

  /** Listens on the same number with both protocols. The number 0 lets the system choose one. */
  const bindBoth = async (host: string, port: number, attempts = maxPortAttempts): Promise<Socket> => {
    const datagrams = await bindDatagrams(host, port)
    try {
      await once(connections.server.listen(datagrams.address().port, host), 'listening')
      return datagrams
    } catch (error) {
      datagrams.close()
      if (port === 0 && attempts > 1) return bindBoth(host, port, attempts - 1)
      throw error
    }
  }

  return {
    async listen({ host, port }) {
      socket = await bindBoth(host, port)
      socket.on('error', (error) => logger.error({ err: error }, 'the socket for captured SIP failed'))
      connections.server.on('error', (error) => logger.error({ err: error }, 'the socket for captured SIP failed'))
      return socket.address().port
    },
    counts: () => ({ ...counts }),
    async close(milliseconds) {
      closing.abort()
      socket?.close()
      socket = undefined
      connections.close()
      await Promise.race([storing, pause(milliseconds, undefined, { ref: false })])
      logger.debug(counts, 'captured SIP since the start')
    },
  }
}
