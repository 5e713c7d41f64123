import { Worker } from 'node:worker_threads'
import type { MaskableItems, MaskingJob } from './mask-items.ts'

/**
 * Applies the patterns of providers on a worker thread, so that they never block other requests. The thread masks the
 * items of one job at a time, starts with the first job, and ends when it is idle.
 */

export interface MaskingThread {
  /** @throws Error if the thread fails or takes too long. The items must then be neither stored nor shown. */
  run<K extends keyof MaskableItems>(job: MaskingJob<K>): Promise<MaskableItems[K][]>
  close(): Promise<void>
}

type Reply = { items: unknown[] } | { problem: string }

/** Longer than the budget of any job, and the longest search after it. */
const timeoutMs = 20_000
const maxHeapMb = 256
const idleMs = 30_000

const send = (thread: Worker, job: MaskingJob): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const listening = new AbortController()
    const settle = (settled: () => void) => {
      listening.abort()
      settled()
    }
    const onReply = (reply: Reply) => settle(() => resolve(reply))
    const onEnd = (error?: unknown) =>
      settle(() => reject(new Error('the thread that masks texts has ended', { cause: error })))
    const timer = setTimeout(() => settle(() => reject(new Error('masking took too long'))), timeoutMs)
    thread.on('message', onReply).on('error', onEnd).on('exit', onEnd)
    listening.signal.addEventListener('abort', () => {
      clearTimeout(timer)
      thread.off('message', onReply).off('error', onEnd).off('exit', onEnd)
    })
    thread.postMessage(job)
  })

/** Creates the thread. */
export const createMaskingThread = (): MaskingThread => {
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
    const started = new Worker(new URL('./masking-worker.mjs', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    })
    // `send` reports the error.
    started.on('error', () => {})
    started.unref()
    return started
  }
  const run = async (job: MaskingJob): Promise<unknown[]> => {
    clearTimeout(idle)
    thread ??= startThread()
    try {
      const reply = await send(thread, job).catch(async (error: unknown) => {
        await end()
        throw error
      })
      if ('problem' in reply) throw new Error(reply.problem)
      return reply.items
    } finally {
      idle = setTimeout(() => void end(), idleMs)
      idle.unref()
    }
  }
  return {
    async run<K extends keyof MaskableItems>(job: MaskingJob<K>) {
      const result = last.then(() => run(job))
      last = result.catch(() => {})
      // The thread returns the items of the kind that it received.
      return (await result) as MaskableItems[K][]
    },
    close: end,
  }
}
