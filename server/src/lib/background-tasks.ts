import { createFairQueue } from './fair-queue.ts'
import type { OnBackgroundError } from './log.ts'
import { withSpan } from './spans.ts'
import { withTimeout } from './timeout.ts'

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
  /** Adds a task after a delay. It is dropped if the process ends before, or if too many are delayed. */
  beginAfter(delayMs: number, failureMessage: string, work: () => Promise<void>): void
  /** Drops delayed tasks. Resolves when all others have ended, or after a timeout. */
  settled(): Promise<void>
}

const maxWaiting = 100
const maxDelayed = 1000
const timeoutSeconds = 30
const shutdownTimeoutSeconds = 3

export const createBackgroundTasks = (onBackgroundError: OnBackgroundError): BackgroundTasks => {
  const queue = createFairQueue({ name: 'background_tasks', concurrency: 2, max: maxWaiting })
  const runningTasks = new Set<Promise<void>>()
  const delayedTasks = new Set<NodeJS.Timeout>()
  let isStopped = false
  const createTimeoutError = () => new Error(`it took longer than ${timeoutSeconds} seconds`)

  const begin = (failureMessage: string, work: () => Promise<void>): void => {
    const runWithTimeout = () =>
      withSpan({ name: 'job background_tasks', kind: 'internal' }, () =>
        withTimeout(work(), timeoutSeconds, createTimeoutError),
      )
    const task = queue
      .run('background', (runStep) => runStep(runWithTimeout))
      .catch((error: unknown) => onBackgroundError(error, failureMessage))
      .finally(() => runningTasks.delete(task))
    runningTasks.add(task)
  }

  return {
    begin,
    beginAfter(delayMs, failureMessage, work) {
      if (isStopped) return
      if (delayedTasks.size >= maxDelayed) {
        onBackgroundError(new Error(`${maxDelayed} tasks are already delayed`), failureMessage)
        return
      }
      const timer = setTimeout(() => {
        delayedTasks.delete(timer)
        begin(failureMessage, work)
      }, delayMs).unref()
      delayedTasks.add(timer)
    },
    async settled() {
      isStopped = true
      for (const timer of delayedTasks) clearTimeout(timer)
      delayedTasks.clear()
      const all = Promise.all(runningTasks)
      await withTimeout(all, shutdownTimeoutSeconds, createTimeoutError).catch(() => {})
    },
  }
}
