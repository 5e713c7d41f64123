import { createFairQueue } from './fair-queue.ts'
import { withTimeout } from './timeout.ts'

/** Work that a request leaves behind: it begins in turn, and whoever asked for it has been answered. */
export interface BackgroundTasks {
  /** `lost` is told where it fails, takes too long, or too much is waiting */
  begin(lost: string, work: () => Promise<void>): void
  /** once nothing is left of it; what takes too long is not waited for */
  settled(): Promise<void>
}

const max = 100
const maxSeconds = 30
const shutdownTimeoutSeconds = 3

export const createBackgroundTasks = (onBackgroundError: (error: unknown, what: string) => void): BackgroundTasks => {
  const queue = createFairQueue({ concurrency: 2, max })
  const begun = new Set<Promise<void>>()
  const late = () => new Error(`it took longer than ${maxSeconds} seconds`)
  return {
    begin(lost, work) {
      const limited = () => withTimeout(work(), maxSeconds, late)
      const working = queue
        .run('afterwards', (runStep) => runStep(limited))
        .catch((error: unknown) => onBackgroundError(error, lost))
        .finally(() => begun.delete(working))
      begun.add(working)
    },
    async settled() {
      const all = Promise.all(begun)
      await withTimeout(all, shutdownTimeoutSeconds, late).catch(() => {})
    },
  }
}
