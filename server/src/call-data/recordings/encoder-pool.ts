import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'

/** Encodes MP3 on worker threads. Each recording stays on one thread. A thread that ends is replaced. */

/** Number of threads. At least one core remains free for requests if there are several. */
export const encodingThreads = Math.max(1, Math.min(4, availableParallelism() - 1))

interface Reply {
  job: number
  encoded?: Uint8Array
  message?: string
}

interface PendingJob {
  resolve(encoded: Uint8Array): void
  reject(error: Error): void
}

/** The thread has ended and lost the state of its encoders. */
class ThreadEnded extends Error {}

class EncodingThread {
  readonly #worker = new Worker(new URL('./encoder-worker.mjs', import.meta.url))
  readonly #waiting = new Map<number, PendingJob>()
  #next = 0
  #ended: ThreadEnded | undefined

  constructor() {
    this.#worker.on('message', (reply: Reply) => this.#settle(reply))
    this.#worker.on('error', (error) => this.#end(error))
    this.#worker.on('exit', () => this.#end(new Error('the thread exited')))
    this.#worker.unref()
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined
  }

  /** Encodes a piece of a recording. Without `samples`, finishes the recording. */
  encode(id: number, sampleRate: number, samples?: Uint8Array): Promise<Uint8Array> {
    if (this.#ended) return Promise.reject(this.#ended)
    const job = (this.#next += 1)
    // Keeps the process alive until the job is done.
    this.#worker.ref()
    return new Promise((resolve, reject) => {
      this.#waiting.set(job, { resolve, reject })
      this.#worker.postMessage({ id, job, sampleRate, samples })
    })
  }

  release(id: number): void {
    if (!this.#ended) this.#worker.postMessage({ id, isOver: true })
  }

  #settle({ job, encoded, message }: Reply): void {
    const waiting = this.#waiting.get(job)
    this.#waiting.delete(job)
    if (this.#waiting.size === 0) this.#worker.unref()
    if (encoded === undefined) waiting?.reject(new Error(`audio could not be encoded: ${message}`))
    else waiting?.resolve(encoded)
  }

  #end(cause: Error): void {
    this.#ended ??= new ThreadEnded(`an encoder thread has ended: ${cause.message}`, { cause })
    for (const { reject } of this.#waiting.values()) reject(this.#ended)
    this.#waiting.clear()
  }
}

const threads: EncodingThread[] = []
let recordings = 0

const getThread = (id: number): EncodingThread => {
  const slot = id % encodingThreads
  const existing = threads[slot]
  if (existing !== undefined && !existing.hasEnded) return existing
  const created = new EncodingThread()
  threads[slot] = created
  return created
}

const emptyHead = Buffer.alloc(0)

/**
 * Creates an encoder that runs on a worker thread. If the thread ends, the next thread encodes the piece again. MP3
 * frames from different encoders can be concatenated.
 */
export const threadEncoder = (sampleRate: number): Encoder => {
  const id = (recordings += 1)
  const encode = async (samples?: Uint8Array): Promise<Uint8Array> => {
    try {
      return await getThread(id).encode(id, sampleRate, samples)
    } catch (error) {
      if (!(error instanceof ThreadEnded)) throw error
      return await getThread(id).encode(id, sampleRate, samples)
    }
  }
  return {
    head: () => emptyHead,
    encode: (samples) => encode(samples),
    end: () => encode(),
    close: () => threads[id % encodingThreads]?.release(id),
  }
}

/**
 * Encodes recorded audio: 16-bit little-endian samples of two interleaved channels
 * (docs/reference/platform-api/recordings.md#recording-websocket).
 */
export interface Encoder {
  /** Returns the file header for this many bytes of encoded audio. */
  head(bytes: number): Buffer
  /** Encodes complete sample pairs. Calls must not overlap. */
  encode(samples: Uint8Array): Promise<Uint8Array>
  /** Returns the rest of the encoded audio. */
  end(): Promise<Uint8Array>
  /** Releases the encoder, including after a failure. */
  close(): void
}
