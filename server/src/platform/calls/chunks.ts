import { setImmediate as others } from 'node:timers/promises'

/** Records of one transaction: long enough to be quick, short enough that others hardly wait. */
export const recordsAtOnce = 500

/** The records in pieces; between two of them other requests have their turn. */
export async function* chunksOf<T>(records: readonly T[], size: number): AsyncGenerator<T[]> {
  for (let start = 0; start < records.length; start += size) {
    if (start > 0) await others()
    yield records.slice(start, start + size)
  }
}
