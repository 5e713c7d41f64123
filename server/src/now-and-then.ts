/** Work that is done with a call only when the last time is so many milliseconds ago, and never twice at once. */
export const nowAndThen = (
  milliseconds: number,
  now: () => number,
  work: () => Promise<unknown>,
): (() => Promise<void>) => {
  let next = Number.NEGATIVE_INFINITY
  return async () => {
    if (now() < next) return
    next = now() + milliseconds
    await work()
  }
}
