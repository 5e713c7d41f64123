import { Readable } from 'node:stream'
import type { WebSocket } from 'ws'

/** The WebSocket of one recording as metadata and a stream of audio (api/4-calls-and-hosted.md §2.8). */

/** Closes a connection with a code of RFC 6455 §7.4, and a reason for the log of the feature server. */
export class CloseConnection extends Error {
  readonly code: number

  constructor(code: number, reason: string) {
    super(reason)
    this.code = code
  }
}

export interface RecordStream {
  /** The first text message. Later ones are notices, and ignored. Rejects if the connection ends without one. */
  metadata: Promise<string>
  /** Ends with the connection, or with `end`. Its sender has to wait while nobody reads it. */
  audio: Readable
  end(code: number, reason: string): void
  /** Like `end`, without time for the peer to answer. */
  drop(code: number, reason: string): void
}

/** Audio that waits to be encoded. Then its sender has to wait. */
const bufferBytes = 64 * 1024

const closeTimeoutMs = 2000
const dropTimeoutMs = 100

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
    // What still arrives is read and ignored, so that the closing handshake is seen.
    socket.resume()
  }
  const close = (code: number, reason: string, timeoutMs: number) => {
    finish()
    socket.close(code, reason)
    setTimeout(() => socket.terminate(), timeoutMs).unref()
  }
  socket.once('close', finish)
  // 'close' follows.
  socket.on('error', () => {})
  return {
    metadata,
    audio,
    end: (code, reason) => close(code, reason, closeTimeoutMs),
    drop: (code, reason) => close(code, reason, dropTimeoutMs),
  }
}

/** Ends a connection from which nothing has been received for `idleSeconds`, neither data nor answers to pings. */
export const endWhenIdle = (socket: WebSocket, idleSeconds: number): void => {
  const idleMs = idleSeconds * 1000
  let heardAt = performance.now()
  const hear = () => {
    heardAt = performance.now()
  }
  socket.on('message', hear).on('pong', hear)
  const timer = setInterval(() => {
    if (!socket.isPaused && performance.now() - heardAt > idleMs) socket.terminate()
    else socket.ping()
  }, idleMs / 2)
  socket.once('close', () => clearInterval(timer))
}
