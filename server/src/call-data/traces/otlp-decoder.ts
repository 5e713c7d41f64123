import { Worker } from 'node:worker_threads'
import type { DecodedExport, DecodeReply } from './decode-export.ts'

/** An export that cannot be decoded. `isOverLimit` tells a body that is too large from one that is malformed. */
export class DecodeError extends Error {
  readonly isOverLimit: boolean

  constructor(message: string, isOverLimit: boolean) {
    super(message)
    this.name = 'DecodeError'
    this.isOverLimit = isOverLimit
  }
}

export interface OtlpDecoder {
  /**
   * Decodes an export on a thread of its own. One is decoded at a time: the caller waits for each.
   *
   * @throws DecodeError
   */
  decode(body: Uint8Array, contentType: string): Promise<DecodedExport>
  close(): Promise<void>
}

/** Memory and time of one export. Those within the limits of otlp-limits.ts take a fraction of both. */
const maxHeapMb = 192
const timeoutMs = 20_000

const tooExpensive = new DecodeError('the export takes too much time or memory; send smaller batches', true)

const replyFrom = async (thread: Worker, body: Uint8Array, contentType: string): Promise<DecodeReply> => {
  const ended = new AbortController()
  const reply = new Promise<DecodeReply>((resolve, reject) => {
    const fail = () => reject(tooExpensive)
    const timer = setTimeout(fail, timeoutMs)
    thread.once('message', resolve).once('error', fail).once('exit', fail)
    ended.signal.addEventListener('abort', () => {
      clearTimeout(timer)
      thread.off('message', resolve).off('error', fail).off('exit', fail)
    })
  })
  // A pooled buffer shares its memory with others, so only a copy can be handed over.
  const copy = Uint8Array.from(body)
  thread.ref()
  thread.postMessage({ body: copy, contentType }, [copy.buffer])
  try {
    return await reply
  } finally {
    ended.abort()
    thread.unref()
  }
}

/** Starts its thread with the first export, and anew after one that took too much. */
export const createOtlpDecoder = (): OtlpDecoder => {
  let thread: Worker | undefined
  const end = async () => {
    const ended = thread
    thread = undefined
    await ended?.terminate()
  }
  return {
    async decode(body, contentType) {
      thread ??= new Worker(new URL('./otlp-decoder-worker.mjs', import.meta.url), {
        resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
      })
      try {
        const reply = await replyFrom(thread, body, contentType)
        if ('decoded' in reply) return reply.decoded
        throw new DecodeError(reply.message, reply.problem === 'limit')
      } catch (error) {
        if (error === tooExpensive) await end()
        throw error
      }
    },
    close: end,
  }
}
