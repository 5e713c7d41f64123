import type { FastifyInstance } from 'fastify'
import type { Socket } from 'node:net'

/**
 * Closes a server in stated time: connections without a request end at once, also silent ones and those on which a
 * request has only begun; requests may take so long to be answered, and then they end, too.
 */
export const closing = (app: FastifyInstance, graceMilliseconds: number): (() => Promise<void>) => {
  /** how many requests are under way on each connection */
  const connections = new Map<Socket, number>()
  let isClosing = false
  const count = (socket: Socket, change: 1 | -1): void => {
    const requests = connections.get(socket)
    if (requests === undefined) return
    connections.set(socket, requests + change)
    if (isClosing && requests + change === 0) socket.end()
  }
  app.server.on('connection', (socket: Socket) => {
    connections.set(socket, 0)
    socket.once('close', () => connections.delete(socket))
  })
  app.server.prependListener('request', ({ socket }, response) => {
    count(socket, 1)
    response.once('close', () => count(socket, -1))
  })
  return async () => {
    isClosing = true
    for (const [socket, requests] of connections) if (requests === 0) socket.destroy()
    const timer = setTimeout(() => {
      for (const socket of connections.keys()) socket.destroy()
    }, graceMilliseconds)
    await app.close()
    clearTimeout(timer)
  }
}
