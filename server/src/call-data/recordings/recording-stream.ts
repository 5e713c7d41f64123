import { Readable } from 'node:stream'
import type { WebSocket } from 'ws'

/**
 * Adapts the WebSocket of a recording to metadata and an audio stream
 * (docs/reference/platform-api/recordings.md#recording-websocket).
 */

/** Closes a connection with a status code of RFC 6455 §7.4 and a reason for the log of the feature server. */
export class CloseConnection extends Error {
  readonly code: number

  constructor(code: number, reason: string) {
    super(reason)
    this.code = code
  }
}

export interface RecordStream {
  /** The first text message. Later text messages are ignored. Rejects if the connection ends without one. */
  metadata: Promise<string>
  /** Ends with the connection or when `end` is called. Applies backpressure to the sender. */
  audio: Readable
  end(code: number, reason: string): void
  /** Like `end`, but gives the peer little time to complete the closing handshake. */
  drop(code: number, reason: string): void
}

/** Maximum bytes of audio that wait to be encoded before the socket is paused. */
const bufferBytes = 64 * 1024

const closeTimeoutMs = 2000
const dropTimeoutMs = 100

/** Adapts a WebSocket on which a feature server sends a recording. */
export const openRecordStream = (socket: WebSocket): RecordStream => {
  const audio = new Readable({ highWaterMark: bufferBytes, read: () => socket.resume() })
  let hasMetadata = false
  let isOver = false
  let giveUp = (_reason: CloseConnection) => {}
  const metadata = new Promise<string>((resolve, reject) => {
    giveUp = reject
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (!isBinary) {
        hasMetadata = true
        resolve(data.toString())
      } else if (!hasMetadata) close(1007, 'metadata must come before audio', closeTimeoutMs)
      else if (!isOver && !audio.push(data)) socket.pause()
    })
  })
  const finish = () => {
    if (isOver) return
    isOver = true
    giveUp(new CloseConnection(1000, 'nothing was recorded'))
    audio.push(null)
    // Later data is read and ignored, so that the closing handshake can complete.
    socket.resume()
  }
  const close = (code: number, reason: string, timeoutMs: number) => {
    finish()
    socket.close(code, reason)
    setTimeout(() => socket.terminate(), timeoutMs).unref()
  }
  socket.once('close', finish)
  // The 'close' event follows and ends the stream.
  socket.on('error', () => {})
  return {
    metadata,
    audio,
    end: (code, reason) => close(code, reason, closeTimeoutMs),
    drop: (code, reason) => close(code, reason, dropTimeoutMs),
  }
}

/** Ends a connection that has received nothing for `idleSeconds`, neither data nor pongs. */
export const endWhenIdle = (socket: WebSocket, idleSeconds: number): void => {
  const idleMs = idleSeconds * 1000
  let lastReceivedAt = performance.now()
  const onReceived = () => {
    lastReceivedAt = performance.now()
  }
  socket.on('message', onReceived).on('pong', onReceived)
  const timer = setInterval(() => {
    if (!socket.isPaused && performance.now() - lastReceivedAt > idleMs) socket.terminate()
    else socket.ping()
  }, idleMs / 2)
  socket.once('close', () => clearInterval(timer))
}
