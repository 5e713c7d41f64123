import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { Agents } from './agents.ts'
import { ProtocolError, ResponseTooLargeError, SendBufferFullError } from './errors.ts'
import { kibibyte, mebibyte } from './transport.ts'

/** WebSockets to untrusted peers. Both the received data and the data that waits to be sent are bounded. */

const handshakeTimeoutMs = 10_000
/** Limit for a single message. */
const maxMessageBytes = mebibyte
/** Limit for all messages of a connection together. */
const maxReceivedBytes = 16 * mebibyte
/** These connections serve speech tests, which receive a few dozen messages. */
const maxReceivedMessages = 1000
/** Messages that the caller has not read. Above this number the socket is paused. */
const maxQueuedMessages = 64
const maxQueuedBytes = mebibyte
/** Bytes that wait because the peer does not read. */
const maxUnsentBytes = mebibyte
/** Pings are ignored while more bytes than this wait to be sent. */
const maxUnsentBytesForPong = 64 * kibibyte

export interface OutboundSocket {
  /**
   * Resolves when the operating system has accepted the data, which requires that the peer reads. Rejects with
   * SendBufferFullError, and closes the connection, if more than 1 MiB waits to be sent.
   */
  send(data: string | Buffer): Promise<void>
  /**
   * Text and binary messages. The iteration ends when the peer closes the connection properly, and throws if the
   * connection breaks.
   */
  messages: AsyncIterable<string | Buffer>
  close(): void
}

export interface WebSocketRequest {
  url: URL
  agents: Agents
  headers: Readonly<Record<string, string>>
  signal: AbortSignal
}

const toBuffer = (data: unknown): Buffer => Buffer.concat([data].flat().map((part) => Buffer.from(part as Buffer)))

/** Receives from the start, so that no message is lost before the caller reads the first one. */
const receive = (socket: WebSocket): AsyncIterable<string | Buffer> => {
  const queue: (string | Buffer)[] = []
  let queuedBytes = 0
  let receivedBytes = 0
  let receivedMessages = 0
  let closed: { code: number; reason: string } | undefined
  let failure: Error | undefined
  let wake = () => {}

  const fail = (error: Error) => {
    failure ??= error
    socket.terminate()
  }
  socket.on('message', (data, isBinary) => {
    const content = toBuffer(data)
    receivedBytes += content.length
    receivedMessages += 1
    if (receivedBytes > maxReceivedBytes) fail(new ResponseTooLargeError(maxReceivedBytes))
    else if (receivedMessages > maxReceivedMessages) fail(new ProtocolError('The peer sends too many messages'))
    else {
      queue.push(isBinary ? content : content.toString())
      queuedBytes += content.length
      if (queue.length >= maxQueuedMessages || queuedBytes >= maxQueuedBytes) socket.pause()
    }
    wake()
  })
  let pings = 0
  socket.on('ping', (data) => {
    pings += 1
    if (pings > maxReceivedMessages) fail(new ProtocolError('The peer sends too many pings'))
    else if (socket.bufferedAmount < maxUnsentBytesForPong) socket.pong(data)
  })
  socket.on('error', (error) => {
    failure ??= error
  })
  socket.on('close', (code, reason) => {
    closed = { code, reason: reason.toString() }
    wake()
  })
  const takeMessage = (): string | Buffer | undefined => {
    const message = queue.shift()
    if (message !== undefined) queuedBytes -= Buffer.byteLength(message)
    if (queue.length === 0 && socket.isPaused) socket.resume()
    return message
  }
  const waitForMessage = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })
  return (async function* () {
    for (;;) {
      const message = takeMessage()
      if (message !== undefined) yield message
      else if (closed === undefined) await waitForMessage()
      else if (failure !== undefined) throw failure
      else if (closed.code === 1000 || closed.code === 1005) return
      else throw new Error(closed.reason || `The connection was closed with code ${closed.code}`)
    }
  })()
}

const send = (socket: WebSocket, data: string | Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    if (socket.bufferedAmount + Buffer.byteLength(data) > maxUnsentBytes) {
      socket.terminate()
      reject(new SendBufferFullError(maxUnsentBytes))
    } else socket.send(data, (error) => (error ? reject(error) : resolve()))
  })

/** Opens a WebSocket. The connection ends when the signal aborts. */
export const openWebSocket = async ({ url, agents, headers, signal }: WebSocketRequest): Promise<OutboundSocket> => {
  const socket = new WebSocket(url, {
    headers,
    agent: url.protocol === 'https:' ? agents.https : agents.http,
    followRedirects: false,
    handshakeTimeout: handshakeTimeoutMs,
    maxPayload: maxMessageBytes,
    // Compressed messages could expand to a thousand times their size.
    perMessageDeflate: false,
    autoPong: false,
    // At most one message is received in each iteration of the event loop. Otherwise all the small messages of a chunk,
    // thousands of them, would be parsed and handled before any request of others.
    allowSynchronousEvents: false,
  })
  const terminate = () => socket.terminate()
  signal.addEventListener('abort', terminate, { once: true })
  socket.on('close', () => signal.removeEventListener('abort', terminate))
  const messages = receive(socket)
  await once(socket, 'open', { signal })
  return { messages, send: (data) => send(socket, data), close: terminate }
}
