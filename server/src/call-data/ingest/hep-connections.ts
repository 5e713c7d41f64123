import { createServer, type Server, type Socket } from 'node:net'
import { toClientNetwork } from '../../lib/client-network.ts'
import { intakeEvents } from '../../lib/telemetry.ts'
import { createHepSplitter } from './hep-splitter.ts'
import { createPendingConnections, type PendingConnectionLimits } from './pending-connections.ts'

/** Receives HEP over TCP: a stream of packets, without responses. */

/** Packets of an address are accepted as they are, only with the key, or never. */
export type Admission = 'accepted' | 'with_key' | 'rejected'

export interface HepConnectionLimits extends PendingConnectionLimits {
  /** Connections of accepted senders, in total and per address. */
  connections: number
  connectionsPerAddress: number
  /** Maximum time from the first to the last byte of a packet, and until the first packet with a key is complete. */
  packetMs: number
  /** Maximum time without any bytes. Agents keep their connection between two calls. */
  idleMs: number
}

export const defaultHepConnectionLimits: HepConnectionLimits = {
  connections: 256,
  connectionsPerAddress: 64,
  packetMs: 30_000,
  idleMs: 3_600_000,
  maxPending: 64,
  maxPendingPerAddress: 16,
  busyTimeoutMs: 2000,
}

export interface HepConnectionsOptions {
  /** Tells whether packets of an address are accepted. Connections of rejected addresses are closed immediately. */
  admit: (address: string) => Admission
  /** Handles a packet. Returns false for a packet that ends its connection. */
  onPacket: (packet: Buffer, address: string, admission: Admission) => boolean
  /** Called when a connection ends because its stream is not HEP, or because it stops within a packet. */
  onBrokenStream: () => void
  limits?: Partial<HepConnectionLimits> | undefined
}

const keepAliveMs = 60_000

/**
 * Creates the server. A connection that needs the key uses one of the few slots of unidentified connections until its
 * first packet is accepted, so that programs without the key cannot keep agents out.
 */
export const createHepConnections = ({
  admit,
  onPacket,
  onBrokenStream,
  limits: overrides,
}: HepConnectionsOptions): { server: Server; close: () => void } => {
  const limits = { ...defaultHepConnectionLimits, ...overrides }
  const pending = createPendingConnections(limits)
  const sockets = new Set<Socket>()
  const countByNetwork = new Map<string, number>()
  let establishedCount = 0

  const rejectBusy = (socket: Socket): void => {
    intakeEvents.publish({ is: 'request_rejected', intake: 'hep', reason: 'busy' })
    socket.destroy()
  }

  /** Takes a slot of identified connections. Returns a function that frees it, or undefined if none is free. */
  const establish = (network: string): (() => void) | undefined => {
    const count = countByNetwork.get(network) ?? 0
    if (establishedCount >= limits.connections || count >= limits.connectionsPerAddress) return undefined
    establishedCount += 1
    countByNetwork.set(network, count + 1)
    return () => {
      establishedCount -= 1
      const remaining = (countByNetwork.get(network) ?? 1) - 1
      if (remaining > 0) countByNetwork.set(network, remaining)
      else countByNetwork.delete(network)
    }
  }

  const serve = (socket: Socket, address: string, admission: Exclude<Admission, 'rejected'>): void => {
    const network = toClientNetwork(address)
    let isIdentified = admission === 'accepted'
    let isRefused = false
    let freeSlot = isIdentified ? establish(network) : pending.add(network, () => rejectBusy(socket))
    let deadline: NodeJS.Timeout | undefined
    if (freeSlot === undefined) return rejectBusy(socket)

    const receivePacket = (packet: Buffer): boolean => {
      clearTimeout(deadline)
      deadline = undefined
      isRefused = !onPacket(packet, address, admission)
      if (isRefused || isIdentified) return !isRefused
      freeSlot?.()
      freeSlot = establish(network)
      isIdentified = freeSlot !== undefined
      isRefused = !isIdentified
      if (isRefused) rejectBusy(socket)
      return isIdentified
    }
    const splitter = createHepSplitter(receivePacket)
    const endBroken = (): void => {
      if (splitter.hasPartialPacket()) onBrokenStream()
      socket.destroy()
    }
    const startDeadline = (): void => {
      deadline ??= setTimeout(endBroken, limits.packetMs)
    }
    if (!isIdentified) startDeadline()

    socket
      .setKeepAlive(true, keepAliveMs)
      .setTimeout(limits.idleMs, endBroken)
      .on('data', (chunk) => {
        const isValid = splitter.push(chunk)
        if (isValid && splitter.hasPartialPacket()) startDeadline()
        if (isValid) return
        if (!isRefused) onBrokenStream()
        socket.destroy()
      })
      .on('end', endBroken)
      .on('close', () => {
        clearTimeout(deadline)
        freeSlot?.()
        sockets.delete(socket)
      })
  }

  const server = createServer((socket) => {
    // A connection that the client resets is its normal end.
    socket.on('error', () => {})
    const address = socket.remoteAddress ?? ''
    const admission = admit(address)
    if (admission === 'rejected') {
      socket.destroy()
      return
    }
    sockets.add(socket)
    serve(socket, address, admission)
  })
  return {
    server,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
