import { monotonicMs } from '../../lib/clock.ts'

/**
 * Creates a function that returns the result of `work` and reuses it for `milliseconds`. Calls during a run wait for its
 * result, so any number of concurrent calls cost one run. A failure is not reused.
 */
export const cacheBriefly = <T>(
  work: () => Promise<T>,
  milliseconds: number,
  now: () => number = monotonicMs,
): (() => Promise<T>) => {
  let running: Promise<T> | undefined
  let cached: { value: T; until: number } | undefined
  const run = async (): Promise<T> => {
    const value = await work()
    cached = { value, until: now() + milliseconds }
    return value
  }
  return async () => {
    if (cached !== undefined && now() < cached.until) return cached.value
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }
}
