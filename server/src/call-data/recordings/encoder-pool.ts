import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'

/** MP3 is encoded beside everything else. Each recording stays on one thread; one that ends is followed by another. */

/** One core stays for whoever asks. */
export const encodingThreads = Math.max(1, Math.min(4, availableParallelism() - 1))

interface Reply {
  job: number
  encoded?: Uint8Array
  message?: string
}

interface Waiting {
  resolve(encoded: Uint8Array): void
  reject(error: Error): void
}

/** The thread has ended, and with it what it knew. */
class ThreadEnded extends Error {}

class EncodingThread {
  readonly #worker = new Worker(new URL('./encoder-worker.mjs', import.meta.url))
  readonly #waiting = new Map<number, Waiting>()
  #next = 0
  #ended: ThreadEnded | undefined

  constructor() {
    this.#worker.on('message', (reply: Reply) => this.#settle(reply))
    this.#worker.on('error', (error) => this.#end(error))
    this.#worker.on('exit', () => this.#end(new Error('it has ended')))
    this.#worker.unref()
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined
  }

  /** A piece of a recording, or without samples its end. */
  encode(id: number, sampleRate: number, samples?: Uint8Array): Promise<Uint8Array> {
    if (this.#ended) return Promise.reject(this.#ended)
    const job = (this.#next += 1)
    // A program that waits for nothing else waits for this.
    this.#worker.ref()
    return new Promise((resolve, reject) => {
      this.#waiting.set(job, { resolve, reject })
      this.#worker.postMessage({ id, job, sampleRate, samples })
    })
  }

  forget(id: number): void {
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
    this.#ended ??= new ThreadEnded(`a thread that encodes has ended: ${cause.message}`, { cause })
    for (const { reject } of this.#waiting.values()) reject(this.#ended)
    this.#waiting.clear()
  }
}

const threads: EncodingThread[] = []
let recordings = 0

const threadOf = (id: number): EncodingThread => {
  const slot = id % encodingThreads
  const there = threads[slot]
  if (there !== undefined && !there.hasEnded) return there
  const made = new EncodingThread()
  threads[slot] = made
  return made
}

const nothing = Buffer.alloc(0)

/** What a thread had begun when it ended is begun anew by the next: frames of MP3 follow each other whoever made them. */
export const threadEncoder = (sampleRate: number): Encoder => {
  const id = (recordings += 1)
  const work = async (samples?: Uint8Array): Promise<Uint8Array> => {
    try {
      return await threadOf(id).encode(id, sampleRate, samples)
    } catch (error) {
      if (!(error instanceof ThreadEnded)) throw error
      return await threadOf(id).encode(id, sampleRate, samples)
    }
  }
  return {
    head: () => nothing,
    encode: (samples) => work(samples),
    end: () => work(),
    close: () => threads[id % encodingThreads]?.forget(id),
  }
}

/** What is recorded, as a file: 16 bit little-endian samples of two channels, in turn (api/4-calls-and-hosted.md §2.8). */
export interface Encoder {
  /** what stands before so many bytes of encoded audio */
  head(bytes: number): Buffer
  /** Of whole pairs of samples; one at a time. */
  encode(samples: Uint8Array): Promise<Uint8Array>
  /** what is still to come */
  end(): Promise<Uint8Array>
  /** Also where it did not come to its end. */
  close(): void
}
