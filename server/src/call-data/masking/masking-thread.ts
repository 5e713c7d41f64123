import { Worker } from 'node:worker_threads'
import { createSerialThread } from '../../lib/serial-thread.ts'
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

/** Creates the thread. */
export const createMaskingThread = (): MaskingThread => {
  const thread = createSerialThread<MaskingJob, Reply>({
    work: 'masking',
    start: () =>
      new Worker(new URL('./masking-worker.mjs', import.meta.url), {
        resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
      }),
    timeoutMs,
  })
  return {
    async run<K extends keyof MaskableItems>(job: MaskingJob<K>) {
      const reply = await thread.run((send) => send(job))
      if ('problem' in reply) throw new Error(reply.problem)
      // The thread returns the items of the kind that it received.
      return reply.items as MaskableItems[K][]
    },
    close: () => thread.close(),
  }
}
