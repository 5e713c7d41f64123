import type { Server as HttpServer, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Time that an idle keep-alive connection stays open after the start of the shutdown. A client may already have sent
 * its next request. It then receives a response with `Connection: close` instead of a reset.
 */
const drainMs = 2000

interface Connection {
  /** Responses that have not been sent completely. */
  pending: Set<ServerResponse>
  hasServed: boolean
}

/** `http.Server.close` would also destroy idle connections, and with them requests in transit. */
const stopListening = (server: HttpServer): void => {
  NetServer.prototype.close.call(server)
}

const announceClose = (response: ServerResponse): void => {
  if (!response.headersSent) response.setHeader('connection', 'close')
}

/**
 * Prepares a server for a graceful shutdown. The returned function stops listening, completes requests in progress with
 * `Connection: close`, serves requests that arrive on open keep-alive connections for two more seconds, and then closes
 * the application. Connections that never completed a request are closed immediately, all others after `graceMs` at the
 * latest.
 */
export const createGracefulClose = (app: FastifyInstance, graceMs: number): (() => Promise<void>) => {
  const connections = new Map<Socket, Connection>()
  let isClosing = false
  let onDrained = () => {}

  app.server.on('connection', (socket: Socket) => {
    connections.set(socket, { pending: new Set(), hasServed: false })
    socket.once('close', () => {
      connections.delete(socket)
      if (connections.size === 0) onDrained()
    })
  })
  app.server.prependListener('request', ({ socket }, response) => {
    const connection = connections.get(socket)
    if (connection === undefined) return
    connection.pending.add(response)
    if (isClosing) announceClose(response)
    response.once('close', () => {
      connection.pending.delete(response)
      connection.hasServed = true
      if (isClosing && connection.pending.size === 0) socket.end()
    })
  })

  const drained = (): Promise<void> =>
    new Promise((resolve) => {
      onDrained = resolve
      setTimeout(resolve, Math.min(drainMs, graceMs))
      if (connections.size === 0) resolve()
    })

  return async () => {
    isClosing = true
    if (app.server.listening) stopListening(app.server)
    for (const [socket, { pending, hasServed }] of connections) {
      for (const response of pending) announceClose(response)
      if (pending.size === 0 && !hasServed) socket.destroy()
    }
    const timer = setTimeout(() => {
      for (const socket of connections.keys()) socket.destroy()
    }, graceMs)
    await drained()
    await app.close()
    clearTimeout(timer)
  }
}
