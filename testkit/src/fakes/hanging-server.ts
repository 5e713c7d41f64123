import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { getPort } from '../servers/ports.ts'

/** A server that accepts connections and never responds. */
export interface HangingServer {
  origin: string
  /** Open connections. */
  connections: ReadonlySet<Socket>
  /** Returns the maximum number of simultaneous connections. */
  maxConnections(): number
  close(): void
}

export const startHangingServer = async (): Promise<HangingServer> => {
  const connections = new Set<Socket>()
  let max = 0
  const server = createServer((socket) => {
    connections.add(socket)
    max = Math.max(max, connections.size)
    socket.on('error', () => {}).once('close', () => connections.delete(socket))
    socket.resume()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${getPort(server)}`,
    connections,
    maxConnections: () => max,
    close() {
      for (const socket of connections) socket.destroy()
      server.close()
    },
  }
}
