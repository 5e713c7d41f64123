import { mostImported } from '@patchbay/contract/rules/many-phone-numbers'

/** A request takes 100 kB. */
const mostBytes = 80_000

/** As many rows as fit into one request, again and again. */
export const batchesOf = <Row extends object>(rows: readonly Row[], most = mostImported): Row[][] => {
  const batches: Row[][] = []
  let bytes = 0
  for (const row of rows) {
    const size = new TextEncoder().encode(JSON.stringify(row)).length + 1
    const last = batches.at(-1)
    if (last === undefined || last.length === most || bytes + size > mostBytes) {
      batches.push([row])
      bytes = size
    } else {
      last.push(row)
      bytes += size
    }
  }
  return batches
}
