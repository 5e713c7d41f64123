import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { getPort } from '@patchbay/testkit/servers/ports'

/** The network between browsers and the SBC: a port that forwards connections, or fails like a network does. */

export interface PhoneLine {
  url: string
  /** Forwards new connections to this port. */
  forward(port: number): void
  /** Accepts new connections, and never sends a byte. */
  keepSilent(): void
  /** Closes new connections. */
  refuse(): void
  /** Closes the connections that are open. */
  drop(): void
  stop(): Promise<void>
}

/** @param certificate the certificate and the key of a line with TLS, in PEM format */
export const openPhoneLine = async (certificate?: { cert: string; key: string }): Promise<PhoneLine> => {
  const sockets = new Set<Socket>()
  let handle = (socket: Socket): void => void socket.destroy()
  const track = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
  }
  const take = (socket: Socket) => handle(track(socket))
  const server: Server = certificate ? createTlsServer(certificate, take) : createServer(take)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const drop = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `${certificate ? 'wss' : 'ws'}://127.0.0.1:${getPort(server)}`,
    forward(port) {
      handle = (socket) => {
        const further = track(connect(port, '127.0.0.1'))
        socket.pipe(further).pipe(socket)
        socket.on('close', () => further.destroy())
        further.on('close', () => socket.destroy())
      }
    },
    keepSilent() {
      handle = (socket) => void socket.resume()
    },
    refuse() {
      handle = (socket) => void socket.destroy()
    },
    drop,
    async stop() {
      drop()
      server.close()
      await once(server, 'close')
    },
  }
}
