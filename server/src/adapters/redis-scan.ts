import { throwApiError } from '@patchbay/contract/api/errors'

/** Limits of a scan. */
export interface ScanBounds {
  /** COUNT of one command, which keeps Redis busy for about a millisecond. Other clients' commands run in between. */
  batch: number
  /** Maximum number of batches per scan. A scan that exceeds it fails with 503. Partial results are never returned. */
  maxBatches: number
  now: () => number
}

/** Enough for a million keys. */
export const scanBounds: ScanBounds = { batch: 1_000, maxBatches: 1_000, now: Date.now }

/** Maximum duration of a scan. */
const maxDurationMs = 10_000

/** Iterates over a cursor of SCAN or ZSCAN. An element may be returned twice while Redis resizes its hash table. */
export const scanThrough = async (
  { maxBatches, now }: ScanBounds,
  step: (cursor: string) => Promise<[string, string[]]>,
  onBatch: (batch: string[]) => unknown,
): Promise<void> => {
  const deadline = now() + maxDurationMs
  let cursor = '0'
  for (let scanned = 0; scanned < maxBatches && now() < deadline; scanned += 1) {
    const [next, batch] = await step(cursor)
    if (batch.length > 0) await onBatch(batch)
    if (next === '0') return
    cursor = next
  }
  throwApiError('timed_out')
}
