import { withTimeout } from './timeout.ts'

const shutdownTimeoutSeconds = 3

export interface PeriodicJob {
  /** does what is due */
  pass(): Promise<void>
  restMilliseconds: number
  /** said where a pass fails */
  lost: string
}

/** Passes, one after another with a rest between. The answer ends it; what takes too long then is not waited for. */
export const runPeriodically = (
  { pass, restMilliseconds, lost }: PeriodicJob,
  onBackgroundError: (error: unknown, what: string) => void,
): (() => Promise<void>) => {
  let passing: Promise<void> | undefined
  const timer = setInterval(() => {
    passing ??= pass()
      .catch((error: unknown) => onBackgroundError(error, lost))
      .finally(() => {
        passing = undefined
      })
  }, restMilliseconds)
  return async () => {
    clearInterval(timer)
    // Whoever comes next ends it once the claim has run out.
    if (passing) await withTimeout(passing, shutdownTimeoutSeconds, () => new Error('late')).catch(() => {})
  }
}
