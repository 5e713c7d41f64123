import { maxImported } from '@patchbay/contract/phone-numbers/bulk-limits'

/** Stays below the body limit of the server, which is 100 kB. */
const maxBytes = 80_000

/** Splits rows into batches that fit into one request each. */
export const toBatches = <Row extends object>(rows: readonly Row[], max = maxImported): Row[][] => {
  const batches: Row[][] = []
  let bytes = 0
  for (const row of rows) {
    const size = new TextEncoder().encode(JSON.stringify(row)).length + 1
    const last = batches.at(-1)
    if (last === undefined || last.length === max || bytes + size > maxBytes) {
      batches.push([row])
      bytes = size
    } else {
      last.push(row)
      bytes += size
    }
  }
  return batches
}
