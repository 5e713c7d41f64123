import { throwApiError } from '@patchbay/contract/errors'

/** How much of Redis one question may go through. */
export interface ScanBounds {
  /** Keys or members looked at in one command: Redis is busy for about a millisecond, and others get their turn between. */
  batch: number
  /** Batches of one scan. Beyond them the answer is 503, never a part of what was asked for. */
  maxBatches: number
  now: () => number
}

/** A million keys. */
export const scanBounds: ScanBounds = { batch: 1_000, maxBatches: 1_000, now: Date.now }

/** And how long it may take, in milliseconds. */
const longest = 10_000

/** Goes through all that a cursor leads to; what comes may come twice, while Redis grows or shrinks its table. */
export const scanThrough = async (
  { maxBatches, now }: ScanBounds,
  step: (cursor: string) => Promise<[string, string[]]>,
  each: (found: string[]) => unknown,
): Promise<void> => {
  const until = now() + longest
  let cursor = '0'
  for (let scanned = 0; scanned < maxBatches && now() < until; scanned += 1) {
    const [next, found] = await step(cursor)
    if (found.length > 0) await each(found)
    if (next === '0') return
    cursor = next
  }
  throwApiError('timed_out')
}
