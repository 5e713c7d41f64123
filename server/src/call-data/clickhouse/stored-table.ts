import type { ClickHouse } from './clickhouse.ts'

/** Rows of a batch, as far as they are to be stored. */
export interface Comparison<Row> {
  /** Rows that ClickHouse does not have. */
  missing: readonly Row[]
  /** Rows that exceed a limit of the table. */
  excess: readonly Row[]
}

/** Describes a table of ClickHouse to the writer. */
export interface StoredTable<Row extends object> {
  name: string
  /** Returns a text that identifies a row. Of rows with the same key, one is stored. */
  toKey(row: Row): string
  /** Returns the approximate size of a row in bytes. */
  measure(row: Row): number
  /**
   * Compares rows with different keys with the stored ones.
   * @throws ApiError `unavailable` if ClickHouse fails
   */
  compare(clickHouse: ClickHouse, rows: readonly Row[]): Promise<Comparison<Row>>
  /** Completes rows before they are stored. The writer calls `finish` when they are accepted. */
  complete?(rows: readonly Row[]): Promise<{ rows: readonly Row[]; finish: () => Promise<void> }>
}

/** Time limit of a comparison in milliseconds. A writer whose comparison takes longer uses the disk. */
export const compareTimeoutMs = 5000
