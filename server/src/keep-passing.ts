import { withTimeLimit } from './time-limit.ts'

const restMilliseconds = 2000
const mostSecondsAtEnd = 3

/** Passes, one after another with a rest between. The answer ends it; what takes too long then is not waited for. */
export const keepPassing = (
  pass: () => Promise<void>,
  /** what could not be done, of which it is tried again */
  failed: string,
  onLost: (error: unknown, what: string) => void,
): (() => Promise<void>) => {
  let passing: Promise<void> | undefined
  const timer = setInterval(() => {
    passing ??= pass()
      .catch((error: unknown) => onLost(error, `${failed}; it is tried again in a moment`))
      .finally(() => {
        passing = undefined
      })
  }, restMilliseconds)
  return async () => {
    clearInterval(timer)
    // Whoever comes next does it once the claim has run out.
    if (passing) await withTimeLimit(passing, mostSecondsAtEnd, () => new Error('late')).catch(() => {})
  }
}
