import { Worker } from 'node:worker_threads'
import type { OwnedGroup } from '../masking/intake-rules.ts'
import type { DecodedExport, DecodeReply, DecodeSettings } from './decode-export.ts'

/** The export cannot be decoded. `isOverLimit` distinguishes a body that is too large from a malformed one. */
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
   * Decodes an export on a worker thread, and masks its texts. The thread decodes one export at a time, in the order of the calls.
   *
   * @throws DecodeError
   */
  decode(body: Uint8Array, contentType: string): Promise<DecodedExport>
  close(): Promise<void>
}

/** Memory and time limits for one export. Exports within the limits of otlp-limits.ts need a fraction of both. */
const maxHeapMb = 192
const timeoutMs = 20_000

const tooExpensive = new DecodeError('the export takes too much time or memory; send smaller batches', true)

/** A message of the thread: the question for the masking rules of traces, or the result. */
type ThreadMessage = { traces: OwnedGroup[] } | DecodeReply

const decodeOnThread = async (
  thread: Worker,
  body: Uint8Array,
  contentType: string,
  { callAttributes, findRules }: DecodeSettings,
): Promise<DecodeReply> => {
  const ended = new AbortController()
  const reply = new Promise<DecodeReply>((resolve, reject) => {
    const fail = () => reject(tooExpensive)
    const timer = setTimeout(fail, timeoutMs)
    const onMessage = (message: ThreadMessage) => {
      if (!('traces' in message)) return resolve(message)
      findRules(message.traces).then((rules) => thread.postMessage({ rules }), reject)
    }
    thread.on('message', onMessage).once('error', fail).once('exit', fail)
    ended.signal.addEventListener('abort', () => {
      clearTimeout(timer)
      thread.off('message', onMessage).off('error', fail).off('exit', fail)
    })
  })
  // A pooled buffer shares its memory with other buffers, so only a copy can be transferred.
  const copy = Uint8Array.from(body)
  thread.ref()
  thread.postMessage({ body: copy, contentType, callAttributes }, [copy.buffer])
  try {
    return await reply
  } finally {
    ended.abort()
    thread.unref()
  }
}

/**
 * Creates a decoder. The thread starts with the first export, and again after an export that exceeded a limit or whose
 * masking rules could not be read.
 */
export const createOtlpDecoder = (settings: DecodeSettings): OtlpDecoder => {
  let thread: Worker | undefined
  const end = async () => {
    const ended = thread
    thread = undefined
    await ended?.terminate()
  }
  const decodeNext = async (body: Uint8Array, contentType: string): Promise<DecodedExport> => {
    thread ??= new Worker(new URL('./otlp-decoder-worker.mjs', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    })
    try {
      const reply = await decodeOnThread(thread, body, contentType, settings)
      if ('decoded' in reply) return reply.decoded
      throw new DecodeError(reply.message, reply.problem === 'limit')
    } catch (error) {
      if (!(error instanceof DecodeError) || error === tooExpensive) await end()
      throw error
    }
  }
  let previous: Promise<unknown> = Promise.resolve()
  return {
    decode(body, contentType) {
      const decoding = previous.then(() => decodeNext(body, contentType))
      previous = decoding.catch(() => {})
      return decoding
    },
    close: end,
  }
}
