import { once } from 'node:events'
import type { Server } from 'node:http'
import { WebSocketServer } from 'ws'
import { getPort } from '../servers/ports.ts'

/** A WebSocket server on 127.0.0.1 that sends messages as fast as its clients read them. */
export interface FloodingWebSocket {
  /** For example `ws://127.0.0.1:3000`. */
  url: string
  stop(): Promise<void>
}

/** @param messages the first ones are sent once, the last one again and again */
export const startFloodingWebSocket = async (messages: readonly string[]): Promise<FloodingWebSocket> => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  server.on('connection', (socket) => {
    socket.on('error', () => {})
    let position = 0
    const send = (): void => {
      if (socket.readyState !== socket.OPEN) return
      // The callback runs when the operating system has taken the message.
      socket.send(
        messages[Math.min(position++, messages.length - 1)] ?? '',
        (error) => void (error ? 0 : setImmediate(send)),
      )
    }
    // Several sends run concurrently, because each one waits for its callback.
    for (let count = 0; count < 50; count += 1) send()
  })
  return {
    url: `ws://127.0.0.1:${getPort(server as unknown as Server)}`,
    async stop() {
      for (const client of server.clients) client.terminate()
      server.close()
      await once(server, 'close')
    },
  }
}
