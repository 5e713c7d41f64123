import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { compareBatch, insertBatch, takeRows } from './batches.ts'
import type { ClickHouse } from './clickhouse.ts'
import { isRejectedData } from './rejected-data.ts'
import type { Batch, Spool } from './spool.ts'
import type { StoredTable } from './stored-table.ts'

/** Moves the rows of a table that wait on the disk to ClickHouse. */

export interface DrainOptions<Row extends object> {
  table: StoredTable<Row>
  clickHouse: ClickHouse
  /** Creates the tables if ClickHouse was unavailable when the server started. */
  prepare: () => Promise<void>
  spool: Spool<Row>
  /** Called with rows that have waited on the disk when ClickHouse has stored them. It can get a row twice. */
  onDrained?: (rows: readonly Row[]) => Promise<void>
  log: Pick<FastifyBaseLogger, 'error' | 'warn' | 'info'>
  /** Called with the time in milliseconds that ClickHouse needed for a batch. */
  onBatchStored: (durationMs: number) => void
  /** Time in milliseconds for which ClickHouse certainly remembers the deduplication token of an insert. */
  tokenMs?: number
}

export interface Drain {
  /** Starts to move batches, unless it is doing so. */
  start(): void
  /** Stops after the current batch. */
  stop(): Promise<void>
}

/**
 * ClickHouse remembers the tokens of the last 10,000 inserts into a table (create-table.ts). That is more than two minutes of 16
 * processes with five inserts a second each. Captured SIP can have more, but has no sums, and its readers skip repeated rows.
 */
const defaultTokenMs = 2 * 60_000

const maxRetryMs = 30_000

/** Creates the task that empties a spool. */
export const createDrain = <Row extends object>({
  table,
  clickHouse,
  prepare,
  spool,
  onDrained,
  log,
  onBatchStored,
  tokenMs = defaultTokenMs,
}: DrainOptions<Row>): Drain => {
  const stopping = new AbortController()
  let draining: Promise<void> | undefined

  /**
   * Inserts a spooled batch. If ClickHouse rejects the content of a row, the others are stored: halves are tried, down to
   * the row, which remains on the disk. The tokens are the same in each attempt.
   */
  const insertSpooled = async (batch: Batch<Row>): Promise<void> => {
    const { rows } = batch
    try {
      await insertBatch(clickHouse, table, batch)
    } catch (error) {
      if (!isRejectedData(error)) throw error
      const [first] = rows
      if (first !== undefined && rows.length === 1) {
        await spool.keepRejected(table.toKey(first), batch)
        log.error({ err: error, table: table.name }, 'ClickHouse rejects a row, which stays in a file of the spool')
        return
      }
      const middle = rows.length >> 1
      await insertSpooled(takeRows(table, batch, rows.slice(0, middle)))
      await insertSpooled(takeRows(table, batch, rows.slice(middle)))
    }
  }

  /**
   * Returns whether ClickHouse can have forgotten the token of a batch. It forgets tokens only while it runs: if it has
   * started recently, a repeated insert also completes the materialized views of one that it did not finish.
   */
  const canBeForgotten = async ({ comparedAt = 0 }: Batch<Row>): Promise<boolean> => {
    if (Date.now() - comparedAt <= tokenMs) return false
    const [row] = await clickHouse.query<{ seconds: number }>('SELECT uptime() AS seconds', {})
    return row === undefined || row.seconds * 1000 > tokenMs
  }

  /** Stores the result of a comparison in the spool. Without it, the batch is compared again after a failure. */
  const keepComparison = async (compared: Batch<Row>): Promise<void> => {
    try {
      await spool.replaceFirst(compared)
    } catch (error) {
      log.warn({ err: error, table: table.name }, 'the disk has no space for data that ClickHouse stores now')
    }
  }

  /**
   * Compares the oldest batch of the spool, unless an earlier insert can have stored it and a repeated one has no effect.
   * Returns the rows to insert.
   */
  const compareSpooled = async (batch: Batch<Row>): Promise<Batch<Row>> => {
    await prepare()
    if (batch.isCompared && !(await canBeForgotten(batch))) return batch
    const { compared } = await compareBatch(clickHouse, table, batch)
    // The rows that an earlier insert has stored leave the spool here.
    if (batch.isCompared) await onDrained?.(batch.rows)
    const remaining = batch.isCompared
      ? { ...takeRows(table, batch, compared.rows), comparedAt: compared.comparedAt }
      : compared
    await keepComparison(remaining)
    return remaining
  }

  /** Moves the spooled batches to ClickHouse, in their order, until the spool is empty. */
  const drain = async (): Promise<void> => {
    let retryMs = 500
    let isFailing = false
    for (;;) {
      const batch = await spool.first()
      if (batch === undefined || stopping.signal.aborted) return
      const startedAt = performance.now()
      try {
        await insertSpooled(await compareSpooled(batch))
        onBatchStored(performance.now() - startedAt)
        await onDrained?.(batch.rows)
        await spool.removeFirst()
        isFailing = false
        if (spool.isEmpty)
          log.info({ table: table.name }, 'ClickHouse has stored all data of the table that waited on the disk')
        retryMs = 500
      } catch (error) {
        if (!isFailing)
          log.warn({ err: error, table: table.name }, 'data that waits on the disk is not stored; retrying')
        isFailing = true
        retryMs = Math.min(2 * retryMs, maxRetryMs)
        await pause(retryMs, undefined, { signal: stopping.signal }).catch(() => {})
      }
    }
  }

  const start = (): void => {
    draining ??= drainOnce()
  }

  const drainOnce = async (): Promise<void> => {
    try {
      await drain()
      draining = undefined
      // A batch can have been added after the last look.
      if (!spool.isEmpty && !stopping.signal.aborted) start()
    } catch (error) {
      draining = undefined
      log.warn(
        { err: error, table: table.name },
        'data that waits on the disk cannot be read; retrying with the next data of the table',
      )
    }
  }

  return {
    start,
    async stop() {
      stopping.abort()
      await draining
    },
  }
}
