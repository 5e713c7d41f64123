import { Worker } from 'node:worker_threads'
import type { StoredBytes } from '@patchbay/contract/endpoint'
import type { RecordFormat } from '@patchbay/contract/recordings/storage'
import { UnreadableAudio } from './decode-audio.ts'
import type { DetectedVoice, VoiceReply, VoiceRequest } from './detect-voice.ts'

/** Detects voices on a worker thread, which analyzes one recording at a time and ends when it is idle. */

export interface VoiceDetector {
  /**
   * Returns when each side of a recorded call speaks.
   * @throws UnreadableAudio if the file is not audio with a channel for each side
   */
  detect(file: StoredBytes, format: RecordFormat): Promise<DetectedVoice>
  close(): Promise<void>
}

/** A recording of two hours takes 5 to 10 seconds, without the time to read it. */
const timeoutMs = 180_000
const maxHeapMb = 256
/** An idle thread costs 20 MB of memory. */
const idleMs = 30_000

const request = (thread: Worker, message: VoiceRequest, signal: AbortSignal): Promise<VoiceReply> =>
  new Promise((resolve, reject) => {
    const listening = new AbortController()
    const settle = (settled: () => void) => {
      listening.abort()
      settled()
    }
    const onReply = (reply: VoiceReply) => settle(() => resolve(reply))
    const onEnd = (error?: unknown) =>
      settle(() => reject(new Error('the thread that analyzes recordings has ended', { cause: error })))
    const onTimeout = () => settle(() => reject(new Error('the analysis of a recording took too long')))
    thread.on('message', onReply).on('error', onEnd).on('exit', onEnd)
    signal.addEventListener('abort', onTimeout, { signal: listening.signal })
    listening.signal.addEventListener('abort', () =>
      thread.off('message', onReply).off('error', onEnd).off('exit', onEnd),
    )
    thread.postMessage(message)
  })

/** Sends a file to the thread piece by piece. */
const analyze = async (
  thread: Worker,
  file: StoredBytes,
  format: RecordFormat,
  signal: AbortSignal,
): Promise<DetectedVoice> => {
  const send = async (message: VoiceRequest): Promise<DetectedVoice | undefined> => {
    const reply = await request(thread, message, signal)
    if (!('problem' in reply)) return reply.detected
    throw reply.problem === 'unreadable' ? new UnreadableAudio(reply.message) : new Error(reply.message)
  }
  let begin: VoiceRequest = { format }
  if (file.size > 0)
    for await (const bytes of await file.read(0, file.size - 1, signal)) {
      await send({ ...begin, bytes })
      begin = {}
    }
  const detected = await send(begin)
  if (detected === undefined) throw new Error('the thread that analyzes recordings gave no result')
  return detected
}

/** Creates a detector. Its thread starts with the first recording. */
export const createVoiceDetector = (): VoiceDetector => {
  let thread: Worker | undefined
  let last: Promise<unknown> = Promise.resolve()
  let idle: NodeJS.Timeout | undefined
  const end = async () => {
    clearTimeout(idle)
    const ended = thread
    thread = undefined
    await ended?.terminate()
  }
  const startThread = (): Worker => {
    const started = new Worker(new URL('./voice-worker.mjs', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    })
    // `analyze` reports the error.
    started.on('error', () => {})
    started.unref()
    return started
  }
  const run = async (file: StoredBytes, format: RecordFormat): Promise<DetectedVoice> => {
    clearTimeout(idle)
    thread ??= startThread()
    try {
      return await analyze(thread, file, format, AbortSignal.timeout(timeoutMs))
    } catch (error) {
      if (!(error instanceof UnreadableAudio)) await end()
      throw error
    } finally {
      idle = setTimeout(() => void end(), idleMs)
      idle.unref()
    }
  }
  return {
    detect(file, format) {
      const result = last.then(() => run(file, format))
      last = result.catch(() => {})
      return result
    },
    close: end,
  }
}
