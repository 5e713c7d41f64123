import { once } from 'node:events'
import type { Server } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { getPort } from '@patchbay/testkit/servers/ports'
import { afterEach, describe, expect, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { testCredential } from '../speech/test-credential.ts'
import { createOutgoing } from './outgoing.ts'
import { mebibyte } from './transport.ts'

const outgoing = createOutgoing({ privateNetworks: ['127.0.0.0/8'], vendorAddresses: {} })
const socketBuffers = 12 * mebibyte
const repeats = 40_000

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

interface Peer {
  url: string
  /** Number of bytes that the peer has read from the client. */
  bytesRead(): number
  bytesWritten(): number
}

const startPeer = async (
  behave: (socket: WebSocket, raw: Socket) => void,
  options: { perMessageDeflate?: boolean } = {},
): Promise<Peer> => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, ...options })
  await once(server, 'listening')
  let raw: Socket | undefined
  server.on('connection', (socket, request) => {
    raw = request.socket
    socket.on('error', () => {})
    behave(socket, request.socket)
  })
  stops.push(async () => {
    for (const client of server.clients) client.terminate()
    server.close()
    await once(server, 'close')
  })
  return {
    url: `ws://127.0.0.1:${getPort(server as unknown as Server)}`,
    bytesRead: () => raw?.bytesRead ?? 0,
    bytesWritten: () => raw?.bytesWritten ?? 0,
  }
}

/** Sends no faster than the client reads. */
const sendRepeatedly = async (socket: WebSocket, raw: Socket, data: string): Promise<void> => {
  for (let count = 0; count < repeats && socket.readyState === socket.OPEN; count += 1) {
    socket.send(data)
    if (raw.writableNeedDrain) await Promise.race([once(raw, 'drain'), once(raw, 'close')]).catch(() => {})
  }
}

const connect = (url: string) => outgoing.connect(url, { stop: AbortSignal.timeout(20_000) })

describe('a speech vendor that repeats its request receives only one response', () => {
  test.each([
    [
      'speechmatics',
      'speechmatics_stt_uri',
      { message: 'RecognitionStarted' },
      'The vendor started the recognition twice',
    ],
    ['houndify', 'houndify_server_uri', { nonce: 'a' }, 'Houndify asked for a second signature'],
    ['houndify', 'houndify_server_uri', { type: 'QueryIDMessage' }, 'Houndify asked for the audio twice'],
  ])('%s: %j', async (vendor, field, message, reason) => {
    const peer = await startPeer((socket, raw) => void sendRepeatedly(socket, raw, JSON.stringify(message)))
    const credential = { api_key: 'a', client_id: 'b', client_key: 'Yw==', [field]: peer.url }
    expect(await testCredential(vendor, 'stt', credential, outgoing)).toEqual({ status: 'fail', reason })
    // The peer reads a single recording of a few seconds. A recording for each of its 40,000 messages would be 1.5 GB.
    expect(peer.bytesRead()).toBeLessThan(mebibyte)
  })
})

test('waits before sending more to a peer that does not read, and fails above 1 MiB', async () => {
  const peer = await startPeer((_socket, raw) => raw.pause())
  const socket = await connect(peer.url)
  const part = Buffer.alloc(100_000)
  const sends: Promise<unknown>[] = []
  // The caller does not wait for each send.
  for (let count = 0; count < 1000; count += 1) sends.push(socket.send(part).catch((error: unknown) => error))
  const outcomes = await Promise.all(sends)
  expect(outcomes.map(String)).toContain(
    'SendBufferFullError: The peer does not read: more than 1048576 bytes wait to be sent',
  )
})

test('does not read more messages than its caller consumes', async () => {
  const peer = await startPeer((socket, raw) => void sendRepeatedly(socket, raw, 'x'.repeat(100_000)))
  const socket = await connect(peer.url)
  let last = -1
  await expect
    .poll(
      () => {
        const [previous, now] = [last, peer.bytesWritten()]
        last = now
        return now - previous
      },
      { interval: 300 },
    )
    .toBe(0)
  expect(last).toBeLessThan(2 * mebibyte + socketBuffers)
  socket.close()
})

test.each([
  ['16 MiB', 'x'.repeat(100_000), 'The response is larger than 16777216 bytes'],
  ['1,000 messages', '', 'The peer sends too many messages'],
])('fails after %s', async (_, data, message) => {
  const peer = await startPeer((socket, raw) => void sendRepeatedly(socket, raw, data))
  const socket = await connect(peer.url)
  const readAll = async () => {
    for await (const received of socket.messages) void received
  }
  await expect(readAll()).rejects.toThrow(message)
})

test('handles small messages that arrive together one by one, and other work runs in between', async () => {
  const count = 500
  const peer = await startPeer((socket, raw) => {
    raw.cork()
    for (let index = 0; index < count; index += 1) socket.send('{}')
    raw.uncork()
  })
  const socket = await connect(peer.url)
  let iterations = 0
  let isDone = false
  const iterate = () => {
    iterations += 1
    if (!isDone) setImmediate(iterate)
  }
  setImmediate(iterate)
  let received = 0
  for await (const message of socket.messages) {
    void message
    received += 1
    if (received === count) break
  }
  isDone = true
  expect(iterations).toBeGreaterThan(count / 2)
  socket.close()
})

test('fails for a message of more than 1 MiB', async () => {
  const peer = await startPeer((socket) => socket.send('x'.repeat(mebibyte + 1)))
  const socket = await connect(peer.url)
  await expect(socket.messages[Symbol.asyncIterator]().next()).rejects.toThrow('Max payload size exceeded')
})

test('does not negotiate compression', async () => {
  const extensions: string[] = []
  const peer = await startPeer((socket) => extensions.push(socket.extensions), { perMessageDeflate: true })
  await connect(peer.url)
  await expect.poll(() => extensions).toEqual([''])
})

test('fails after 1,000 pings', async () => {
  const ping = async (socket: WebSocket, raw: Socket) => {
    raw.pause()
    for (let count = 0; count < repeats && socket.readyState === socket.OPEN; count += 1) {
      socket.ping('x'.repeat(120))
      if (raw.writableNeedDrain) await Promise.race([once(raw, 'drain'), once(raw, 'close')]).catch(() => {})
    }
  }
  const peer = await startPeer((socket, raw) => void ping(socket, raw))
  const socket = await connect(peer.url)
  await expect(socket.messages[Symbol.asyncIterator]().next()).rejects.toThrow('The peer sends too many pings')
})

test('cancels an unanswered handshake when its signal aborts', async () => {
  const server = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const controller = new AbortController()
  const opening = outgoing.connect(`ws://127.0.0.1:${getPort(server)}`, { stop: controller.signal })
  const [accepted] = (await once(server, 'connection')) as [Socket]
  accepted.resume()
  controller.abort()
  await expect(opening).rejects.toThrow('The operation was aborted')
  await once(accepted, 'close')
  server.close()
})
