import { sha256 } from '../../lib/sha256.ts'
import type { ClickHouse } from './clickhouse.ts'
import type { Batch } from './spool.ts'
import type { StoredTable } from './stored-table.ts'

/** Batches of rows that are compared with the stored ones, and then inserted with a token. */

/**
 * Leaves out the rows that ClickHouse has, and those that exceed a limit, which it also returns.
 * @throws ApiError if ClickHouse fails, or if the signal aborts
 */
export const compareBatch = async <Row extends object>(
  clickHouse: ClickHouse,
  table: StoredTable<Row>,
  batch: Batch<Row>,
  signal?: AbortSignal,
): Promise<{ compared: Batch<Row>; excess: readonly Row[] }> => {
  const comparedAt = Date.now()
  const { missing, excess } = await table.compare(clickHouse, batch.rows, signal)
  return { compared: { ...batch, isCompared: true, comparedAt, rows: missing }, excess }
}

/**
 * Inserts the rows of a batch. A repeated insert has no effect.
 * @throws Error of ClickHouse or of the connection. The rows may have been stored then
 */
export const insertBatch = async <Row extends object>(
  clickHouse: ClickHouse,
  table: StoredTable<Row>,
  { rows, token }: Batch<Row>,
  signal?: AbortSignal,
): Promise<void> => {
  if (rows.length > 0) await clickHouse.insert(table.name, rows, token, signal)
}

/**
 * Returns a batch with some rows of another one. Its token is the same for the same rows of the same batch, and differs for
 * others, which ClickHouse would ignore.
 */
export const takeRows = <Row extends object>(
  table: StoredTable<Row>,
  batch: Batch<Row>,
  rows: readonly Row[],
): Batch<Row> =>
  rows.length === batch.rows.length
    ? batch
    : { ...batch, rows, token: sha256([batch.token, ...rows.map(table.toKey)].join('\n')) }
