import { createHelperProcess } from '../../lib/helper-process.ts'
import type { MaskableItems, MaskingJob } from './mask-items.ts'

/**
 * Applies the patterns of providers in a helper process, so that they never block other requests, and cannot end the
 * server. The process masks the items of one job at a time.
 */

export interface MaskingHelper {
  /**
   * @throws HelperDied if the process ends
   * @throws Error if it fails or takes too long. The items must then be neither stored nor shown.
   */
  run<K extends keyof MaskableItems>(job: MaskingJob<K>): Promise<MaskableItems[K][]>
  close(): Promise<void>
}

/** Longer than the budget of any job, and the longest search after it. */
const timeoutMs = 20_000
const maxHeapMb = 256

/** Creates the helper. */
export const createMaskingHelper = (): MaskingHelper => {
  const helper = createHelperProcess<MaskingJob, unknown[]>({
    name: 'masking',
    module: new URL('./masking-process.mjs', import.meta.url),
    maxHeapMb,
    timeoutMs,
  })
  return {
    // The process returns the items of the kind that it received.
    run: async <K extends keyof MaskableItems>(job: MaskingJob<K>) => (await helper.request(job)) as MaskableItems[K][],
    close: () => helper.close(),
  }
}
