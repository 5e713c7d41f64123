import { createHash } from 'node:crypto'
import type { ClickHouse } from './clickhouse.ts'
import type { StoredTable } from './stored-table.ts'

/** Copies rows from the database to a table of ClickHouse, and compares each copy with its original. */

/** The last row that was copied, as the values of the columns that order the rows. */
export type CopyPosition = Readonly<Record<string, string | number>>

/** Describes what is copied to a table. */
export interface CopySource<Row extends object> {
  table: StoredTable<Row>
  /** Reads the rows after a position, or the first rows. Returns undefined if there are no more. */
  read(after: CopyPosition | undefined): Promise<{ rows: readonly Row[]; position: CopyPosition } | undefined>
  /** Returns the names of the rows whose copy differs or is missing. */
  findDifferent(clickHouse: ClickHouse, rows: readonly Row[]): Promise<string[]>
}

export interface CopyProgress {
  /** Rows that were read from the database. */
  read: number
  /** Rows that ClickHouse did not have. */
  inserted: number
  /** Rows whose copy differs from the original or is missing: the names of the first ones, and the number of all. */
  different: { first: string[]; count: number }
}

/** Limits of an insert. The rows of one read can exceed them. */
const maxBatch = { rows: 5000, bytes: 8 * 1024 * 1024 }
const maxReported = 10

/**
 * Copies all rows of a source. Rows that ClickHouse has already are compared only.
 * @param start the position at which an interrupted copy ended
 * @param onBatch is called after each insert, with the position that a later copy can start at
 * @param run identifies the copy. ClickHouse ignores an insert that it has had before in the same copy, but rows that were
 * deleted after an earlier copy are inserted again
 * @throws ApiError or an error of ClickHouse. A copy that starts at the last position continues
 */
export const copyTable = async <Row extends object>(
  clickHouse: ClickHouse,
  { table, read, findDifferent }: CopySource<Row>,
  start: CopyPosition | undefined,
  onBatch: (progress: CopyProgress, position: CopyPosition) => void,
  run = '',
): Promise<CopyProgress> => {
  const progress: CopyProgress = { read: 0, inserted: 0, different: { first: [], count: 0 } }

  const copyBatch = async (rows: readonly Row[]): Promise<void> => {
    const { missing, excess } = await table.compare(clickHouse, rows)
    // Limits apply to new data only.
    const inserted = [...missing, ...excess]
    // A continued copy inserts the batch with the same token.
    const token = createHash('sha256')
      .update([run, ...inserted.map(table.toKey)].join('\n'))
      .digest('hex')
    if (inserted.length > 0) await clickHouse.insert(table.name, inserted, token)
    const different = await findDifferent(clickHouse, rows)
    progress.read += rows.length
    progress.inserted += inserted.length
    progress.different.count += different.length
    const { first } = progress.different
    first.push(...different.slice(0, maxReported - first.length))
  }

  let batch: Row[] = []
  let bytes = 0
  for (let position = start; ; ) {
    const next = await read(position)
    for (const row of next?.rows ?? []) {
      batch.push(row)
      bytes += table.measure(row)
    }
    position = next?.position ?? position
    const isFull = batch.length >= maxBatch.rows || bytes >= maxBatch.bytes
    if (batch.length > 0 && position !== undefined && (isFull || next === undefined)) {
      await copyBatch(batch)
      onBatch(progress, position)
      batch = []
      bytes = 0
    }
    if (next === undefined) return progress
  }
}
