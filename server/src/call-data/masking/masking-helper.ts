import { createHelperProcess, HelperTimeout, repeatIfHelperDied } from '../../lib/helper-process.ts'
import type { MaskableItems, MaskingJob, MaskingReply } from './mask-items.ts'

/**
 * Applies the patterns of providers in a helper process, so that they never block other requests, and cannot end the
 * server. The process masks the items of one job at a time.
 */

export interface MaskingHelper {
  /**
   * Masks items. Texts are replaced as a whole if the time of the patterns is used up.
   * @throws ApiError `unavailable` if the process dies repeatedly. The items must then be neither stored nor shown.
   */
  run<K extends keyof MaskableItems>(job: MaskingJob<K>): Promise<MaskingReply<K>>
  close(): Promise<void>
}

/** Longer than the time of any job, the longest search after it, and the start of the process. */
const timeoutMs = 10_000
const maxHeapMb = 256

/** Creates the helper. */
export const createMaskingHelper = (): MaskingHelper => {
  const helper = createHelperProcess<MaskingJob, MaskingReply>({
    name: 'masking',
    module: new URL('./masking-process.mjs', import.meta.url),
    maxHeapMb,
    timeoutMs,
  })
  // The process returns the items of the kind that it received.
  const request = <K extends keyof MaskableItems>(job: MaskingJob<K>) => helper.request(job) as Promise<MaskingReply<K>>
  return {
    run: (job) =>
      repeatIfHelperDied(async () => {
        try {
          return await request(job)
        } catch (error) {
          if (!(error instanceof HelperTimeout)) throw error
          // Without time for patterns, all texts are replaced.
          const { items } = await request({ ...job, budgetMs: 0 })
          return { items, usedMs: timeoutMs, isExceeded: true }
        }
      }),
    close: () => helper.close(),
  }
}
