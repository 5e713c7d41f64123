import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { getPort } from '../servers/ports.ts'

/** A TCP proxy in front of a server whose host can disappear without closing a connection, as after a loss of power. */
export interface PartitionProxy {
  port: number
  /** Returns the number of connections that the client has not closed. */
  openConnections(): number
  /** Forwards nothing from now on, in either direction, on existing and new connections. Closes none of them. */
  partition(): void
  /** Forwards new connections again. The earlier ones stay silent, as if another host had taken over the address. */
  replaceHost(): void
  stop(): void
}

/** @param targetPort port of the server on 127.0.0.1 */
export const startPartitionProxy = async (targetPort: number): Promise<PartitionProxy> => {
  const clients = new Set<Socket>()
  const targets = new Set<Socket>()
  const silencers = new Set<() => void>()
  let isReachable = true

  const forward = (client: Socket): void => {
    const target = connect(targetPort, '127.0.0.1')
    targets.add(target.on('error', () => {}))
    const silence = () => {
      client.off('close', end)
      target.off('close', end)
      for (const socket of [client.unpipe(target), target.unpipe(client)]) socket.resume()
    }
    const end = () => {
      silencers.delete(silence)
      client.destroy()
      target.destroy()
    }
    silencers.add(silence)
    client.once('close', end).pipe(target)
    target.once('close', end).pipe(client)
  }

  const server = createServer((client) => {
    clients.add(client.on('error', () => {}))
    client.once('close', () => clients.delete(client))
    if (isReachable) forward(client)
    else client.resume()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    port: getPort(server),
    openConnections: () => clients.size,
    partition() {
      isReachable = false
      for (const silence of silencers) silence()
      silencers.clear()
    },
    replaceHost() {
      isReachable = true
    },
    stop() {
      server.close()
      for (const socket of [...clients, ...targets]) socket.destroy()
    },
  }
}
