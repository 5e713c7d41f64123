import { monotonicMs } from './clock.ts'

/** Returns a function that runs `work` at most once per `milliseconds`. Other calls do nothing. */
export const throttle = (
  milliseconds: number,
  work: () => Promise<unknown>,
  now: () => number = monotonicMs,
): (() => Promise<void>) => {
  let next = Number.NEGATIVE_INFINITY
  return async () => {
    if (now() < next) return
    next = now() + milliseconds
    await work()
  }
}
