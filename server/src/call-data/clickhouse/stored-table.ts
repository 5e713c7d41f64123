import { type ClickHouse, exceedsLimit, type Parameters, quoteAll } from './clickhouse.ts'

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
   * @throws ApiError `client_closed_request` if the signal aborts
   */
  compare(clickHouse: ClickHouse, rows: readonly Row[], signal?: AbortSignal): Promise<Comparison<Row>>
  /** Completes rows before they are stored. The writer calls `finish` when they are accepted. */
  complete?(rows: readonly Row[]): Promise<{ rows: readonly Row[]; finish: () => Promise<void> }>
}

/**
 * Time limit in milliseconds for the comparison and the insert of new data, whose senders wait. Data that takes longer waits
 * on the disk. A healthy ClickHouse needs less than a second for the largest batches, and an intake ends a request after
 * 30 seconds.
 */
export const storeTimeoutMs = 5000

/**
 * Queries ClickHouse about rows. If the query exceeds a limit of ClickHouse, both halves of the rows are queried one after
 * the other, down to single rows.
 * @throws ApiError of the query
 */
export const queryInHalves = async <Row, Result>(
  rows: readonly Row[],
  query: (some: readonly Row[]) => Promise<Result[]>,
): Promise<Result[]> => {
  try {
    return await query(rows)
  } catch (error) {
    if (rows.length <= 1 || !exceedsLimit(error)) throw error
  }
  const middle = rows.length >> 1
  const first = await queryInHalves(rows.slice(0, middle), query)
  return [...first, ...(await queryInHalves(rows.slice(middle), query))]
}

/**
 * Returns the condition that selects rows by pairs of a text and a 64-bit integer. The pairs are the text of one literal,
 * because the parser of ClickHouse takes longer for a literal per value than the search.
 */
const toPairCondition = (
  columns: readonly [text: string, integer: string],
  pairs: readonly (readonly [text: string, integer: string])[],
): string => {
  const tuples = pairs.map(([text, integer]) => `(${quoteAll([text])},${integer})`)
  return `(${columns.join()}) IN CAST(${quoteAll([`[${tuples.join()}]`])}, 'Array(Tuple(String, Int64))')`
}

/** Selects columns of the rows whose pairs of a text and a 64-bit integer are among those of other rows. */
export const selectByPairs = <Stored, Row extends object>(
  clickHouse: ClickHouse,
  {
    table,
    columns,
    pair: [text, integer],
    condition = 'true',
    order = '',
    parameters = {},
  }: {
    table: string
    columns: string
    pair: readonly [text: keyof Row & string, integer: keyof Row & string]
    /** A further condition, and the values of its parameters. */
    condition?: string
    /** Clauses that follow the conditions. The rows of a pair are selected by one query. */
    order?: string
    parameters?: Parameters
  },
  rows: readonly Row[],
  signal: AbortSignal | undefined,
): Promise<Stored[]> =>
  queryInHalves(rows, (some) => {
    const pairs = some.map((row) => [String(row[text]), String(row[integer])] as const)
    const statement = `SELECT ${columns} FROM ${table} WHERE ${toPairCondition([text, integer], pairs)} AND ${condition} ${order}`
    return clickHouse.query<Stored>(statement, parameters, signal)
  })

/** Returns the rows whose keys are not among those of stored rows. */
export const leaveOutStored = <Key, Row extends Key>(
  rows: readonly Row[],
  stored: readonly Key[],
  toKey: (row: Key) => string,
): Row[] => {
  const keys = new Set(stored.map(toKey))
  return rows.filter((row) => !keys.has(toKey(row)))
}
