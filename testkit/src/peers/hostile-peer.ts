import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { getPort } from '../servers/ports.ts'

/** A misbehaving HTTP server on 127.0.0.1. It counts how much of its response the client reads. */
export interface HostilePeer {
  origin: string
  /** Returns the number of bytes that the client or its operating system has accepted. */
  bytesTaken(): number
  connections(): number
  /** Resolves when every connection is closed, which proves that the client leaves no connection open. */
  untilAbandoned(): Promise<void>
  stop(): Promise<void>
}

/** Responds to one request. Ends when the socket closes. */
export type Behavior = (socket: Socket) => Promise<void>

const block = Buffer.alloc(64 * 1024, 'x')

/** Resolves at the first of these events. An error event is always followed by `close`. */
const untilEvent = (socket: Socket, ...events: string[]): Promise<void> =>
  new Promise((resolve) => {
    if (socket.closed) return resolve()
    for (const event of events) socket.once(event, () => resolve())
  })

/** Writes at the speed at which the client reads. */
const write = async (socket: Socket, data: string | Buffer): Promise<void> => {
  if (!socket.write(data)) await untilEvent(socket, 'drain', 'close')
  // Writes to an ended socket fail asynchronously, so this loop must yield to the event loop.
  await setImmediate()
}

const repeat = async (socket: Socket, data: string | Buffer): Promise<void> => {
  while (!socket.destroyed) await write(socket, data)
}

const head = (status: number, ...headers: string[]): string =>
  [`HTTP/1.1 ${status} Whatever`, 'content-type: application/json', ...headers, '', ''].join('\r\n')

const chunk = (content: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${content.length.toString(16)}\r\n`), content, Buffer.from('\r\n')])

const endless =
  (status: number): Behavior =>
  async (socket) => {
    await write(socket, head(status))
    await repeat(socket, block)
  }

/** Misbehaviors by name. */
export const behaviors = {
  'a 200 response without an end': endless(200),
  'a 200 response without an end, in chunks': async (socket) => {
    await write(socket, head(200, 'transfer-encoding: chunked'))
    await repeat(socket, chunk(block))
  },
  'a 206 response without an end': endless(206),
  'a 404 response without an end': endless(404),
  'a 500 response without an end': endless(500),
  'a 500 response of 561 MB': async (socket) => {
    await write(socket, head(500, 'content-length: 561000000'))
    for (let bytes = 0; bytes < 561_000_000 && !socket.destroyed; bytes += block.length) await write(socket, block)
  },
  'a gzip bomb without an end': async (socket) => {
    await write(socket, head(200, 'content-encoding: gzip', 'transfer-encoding: chunked'))
    await repeat(socket, chunk(gzipSync(Buffer.alloc(2 ** 20))))
  },
  'headers without an end': async (socket) => {
    await write(socket, 'HTTP/1.1 200 OK\r\n')
    await repeat(socket, `x-header: ${'x'.repeat(1000)}\r\n`)
  },
  'interim responses without an end': (socket) => repeat(socket, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000)),
  'a redirect to itself': (socket) => write(socket, head(307, 'location: /', 'content-length: 0', 'connection: close')),
  'an upgrade that nobody asked for': (socket) => write(socket, head(101, 'connection: upgrade', 'upgrade: other')),
  'a status that does not exist': (socket) => write(socket, `${head(999, 'content-length: 2', 'connection: close')}{}`),
  'noise in place of HTTP': (socket) => repeat(socket, Buffer.alloc(64 * 1024, '\u0001\u00ff{')),
  'HTML in place of JSON or XML': (socket) =>
    write(socket, `${head(200, 'content-length: 27', 'connection: close')}<html>It works!</html>     `),
  'nothing at all': (socket) => untilEvent(socket, 'close'),
  'one byte at a time': async (socket) => {
    await write(socket, head(200))
    while (!socket.destroyed) {
      await write(socket, 'x')
      await pause(20)
    }
  },
  'the end of the connection before the body': async (socket) => {
    await write(socket, head(200, 'content-length: 100'))
    socket.end()
  },
} satisfies Record<string, Behavior>

export type BehaviorName = keyof typeof behaviors

export const behaviorNames = Object.keys(behaviors) as BehaviorName[]

/** Reads until the end of the headers of a request, and ignores the rest. */
export const untilHead = async (socket: Socket): Promise<void> => {
  let received = ''
  for await (const part of socket.iterator({ destroyOnReturn: false })) {
    received += String(part)
    if (received.includes('\r\n\r\n')) break
  }
  // Further data of the client is ignored.
  socket.resume()
}

/**
 * @param behave selects the behavior of each request
 * @param options `speaksFirst`: for protocols in which the server sends first
 */
export const startHostilePeer = async (behave: () => Behavior, { speaksFirst = false } = {}): Promise<HostilePeer> => {
  const sockets = new Set<Socket>()
  let taken = 0
  let connections = 0
  const server = createServer({ allowHalfOpen: false }, (socket) => {
    sockets.add(socket)
    connections += 1
    socket.on('error', () => {})
    socket.once('close', () => {
      sockets.delete(socket)
      taken += socket.bytesWritten
    })
    const answer = async () => {
      if (!speaksFirst) await untilHead(socket)
      await behave()(socket)
    }
    // The tests expect clients to close the connection.
    answer().catch(() => {})
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${getPort(server)}`,
    bytesTaken: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, taken),
    connections: () => connections,
    async untilAbandoned() {
      await Promise.all([...sockets].map((socket) => untilEvent(socket, 'close')))
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
