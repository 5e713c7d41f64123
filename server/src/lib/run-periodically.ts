import { monotonicMs } from './clock.ts'
import type { OnBackgroundError } from './log.ts'
import { withSpan } from './spans.ts'
import { jobEvents } from './telemetry.ts'
import { withTimeout } from './timeout.ts'

const shutdownTimeoutSeconds = 3

export interface PeriodicJob {
  /** Name of the job in metrics. */
  name: string
  /** Does the work that is due. */
  run(): Promise<void>
  intervalMs: number
  /** Logged if a run fails. */
  failureMessage: string
}

/** Runs a job once, in a trace of its own, and publishes its duration and result for metrics. */
export const observeJob = async (job: string, run: () => Promise<void>): Promise<void> => {
  const startedAt = monotonicMs()
  let hasFailed = true
  try {
    await withSpan({ name: `job ${job}`, kind: 'internal', isRoot: true }, run)
    hasFailed = false
  } finally {
    jobEvents.publish({ job, seconds: (monotonicMs() - startedAt) / 1000, hasFailed })
  }
}

/**
 * Runs a job periodically. A run that takes longer than the interval delays the next one. Returns a function that stops
 * the job and waits up to 3 s for the current run.
 */
export const runPeriodically = (
  { name, run, intervalMs, failureMessage }: PeriodicJob,
  onBackgroundError: OnBackgroundError,
): (() => Promise<void>) => {
  let currentRun: Promise<void> | undefined
  const timer = setInterval(() => {
    currentRun ??= observeJob(name, run)
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
