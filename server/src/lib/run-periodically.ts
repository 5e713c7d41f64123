import { withTimeout } from './timeout.ts'
import type { OnBackgroundError } from './log.ts'

const shutdownTimeoutSeconds = 3

export interface PeriodicJob {
  /** Does the work that is due. */
  run(): Promise<void>
  intervalMs: number
  /** Logged if a run fails. */
  failureMessage: string
}

/**
 * Runs a job periodically. A run that takes longer than the interval delays the next one. Returns a function that stops
 * the job and waits up to 3 s for the current run.
 */
export const runPeriodically = (
  { run, intervalMs, failureMessage }: PeriodicJob,
  onBackgroundError: OnBackgroundError,
): (() => Promise<void>) => {
  let currentRun: Promise<void> | undefined
  const timer = setInterval(() => {
    currentRun ??= run()
      .catch((error: unknown) => onBackgroundError(error, failureMessage))
      .finally(() => {
        currentRun = undefined
      })
  }, intervalMs)
  return async () => {
    clearInterval(timer)
    // If the run takes longer, another process continues its work when the claim has expired.
    if (currentRun) await withTimeout(currentRun, shutdownTimeoutSeconds, () => new Error('late')).catch(() => {})
  }
}
