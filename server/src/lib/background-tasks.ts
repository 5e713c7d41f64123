import { createFairQueue } from './fair-queue.ts'
import { withTimeout } from './timeout.ts'
import type { OnBackgroundError } from './log.ts'

/**
 * Runs work in the background after the response to a request has been sent. Tasks run in the order in which they were
 * added.
 */
export interface BackgroundTasks {
  /**
   * Adds a task.
   * @param failureMessage logged if the task fails, takes too long, or is rejected because too many are waiting
   */
  begin(failureMessage: string, work: () => Promise<void>): void
  /** Resolves when all tasks have ended, or after a timeout. */
  settled(): Promise<void>
}

const maxWaiting = 100
const timeoutSeconds = 30
const shutdownTimeoutSeconds = 3

export const createBackgroundTasks = (onBackgroundError: OnBackgroundError): BackgroundTasks => {
  const queue = createFairQueue({ concurrency: 2, max: maxWaiting })
  const runningTasks = new Set<Promise<void>>()
  const createTimeoutError = () => new Error(`it took longer than ${timeoutSeconds} seconds`)
  return {
    begin(failureMessage, work) {
      const runWithTimeout = () => withTimeout(work(), timeoutSeconds, createTimeoutError)
      const task = queue
        .run('background', (runStep) => runStep(runWithTimeout))
        .catch((error: unknown) => onBackgroundError(error, failureMessage))
        .finally(() => runningTasks.delete(task))
      runningTasks.add(task)
    },
    async settled() {
      const all = Promise.all(runningTasks)
      await withTimeout(all, shutdownTimeoutSeconds, createTimeoutError).catch(() => {})
    },
  }
}
