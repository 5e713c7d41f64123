import { randomUUID } from 'node:crypto'
import { withTimeout } from '../../lib/timeout.ts'
import { IngestError } from '../ingest/ingest-error.ts'
import { compareBatch, insertBatch } from './batches.ts'
import { createDrain, type DrainOptions } from './drain-spool.ts'
import { type Batch, SpoolFullError } from './spool.ts'
import { storeTimeoutMs } from './stored-table.ts'

/**
 * Stores the rows of a table in ClickHouse in batches. A row is accepted when ClickHouse has stored its batch, or when
 * the spool has. Rows that are stored already are left out, as senders repeat requests without a response.
 */

/** The result of storing the rows of a request. */
export interface StoreResult<Row> {
  /** Number of rows that were not stored before. */
  added: number
  /** Rows that exceed a limit of the table. They are not stored. */
  excess: readonly Row[]
}

export interface TableWriter<Row> {
  /**
   * Stores rows.
   * @throws IngestError 503 if neither ClickHouse nor the spool accepts them, or if too many rows wait
   */
  store(rows: readonly Row[]): Promise<StoreResult<Row>>
  /** Bytes of rows on the disk that wait for ClickHouse. */
  getWaitingBytes(): number
  /** Stores what waits, and stops. Spooled batches remain on the disk. */
  close(): Promise<void>
}

interface Waiting<Row> {
  rows: readonly Row[]
  bytes: number
  resolve: (result: StoreResult<Row>) => void
  reject: (error: unknown) => void
}

export interface TableWriterOptions<Row extends object> extends Omit<DrainOptions<Row>, 'onBatchStored'> {
  /** Maximum time that a row waits for others. Each insert creates a file in ClickHouse, which has to merge them. */
  batchMs?: number
  /** Time limit in milliseconds for storing new data. Beyond it, the data waits on the disk. */
  storeMs?: number
}

/** Limits of a batch, and of the rows that wait. A single request can exceed those of a batch. */
const maxBatch = { rows: 5000, bytes: 8 * 1024 * 1024 }
const maxWaiting = { rows: 20_000, bytes: 32 * 1024 * 1024 }

/**
 * Returns a row whose texts are well-formed. Texts of senders can contain half a character, which ClickHouse rejects with
 * the whole batch. Like the other stores, it gets U+FFFD instead.
 */
const toWellFormed = <Row extends object>(row: Row): Row => {
  const isWellFormed = Object.values(row).every((value) => typeof value !== 'string' || value.isWellFormed())
  if (isWellFormed) return row
  const members = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.toWellFormed() : value,
  ])
  // The cast is safe, because only the contents of texts have changed.
  return Object.fromEntries(members) as Row
}

const sumBytes = (waiting: readonly { bytes: number }[]): number => waiting.reduce((sum, { bytes }) => sum + bytes, 0)
const sumRows = (waiting: readonly { rows: readonly unknown[] }[]): number =>
  waiting.reduce((sum, { rows }) => sum + rows.length, 0)

/** Creates the writer and begins to store the batches of the spool. */
export const createTableWriter = <Row extends object>(options: TableWriterOptions<Row>): TableWriter<Row> => {
  const { table, clickHouse, prepare, spool, log, batchMs = 200, storeMs = storeTimeoutMs } = options
  let waiting: Waiting<Row>[] = []
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> | undefined
  /** Whether the last batch took longer than new data may. Then new data goes to the disk, so that no sender waits. */
  let isSlow = false
  const drain = createDrain({ ...options, onBatchStored: (durationMs) => void (isSlow = durationMs > storeMs) })

  const addToSpool = async (batch: Batch<Row>): Promise<void> => {
    try {
      await spool.add(batch)
    } catch (error) {
      // Without the disk, only an insert can store the next data.
      isSlow = false
      const reason = error instanceof SpoolFullError ? 'the disk space for waiting data is full' : 'the disk failed'
      throw new IngestError(503, `ClickHouse is unavailable, and ${reason}; send the data again`, { cause: error })
    } finally {
      drain.start()
    }
  }

  /** Stores a batch. Returns the rows that were accepted, and those that exceed a limit. */
  const write = async (batch: Batch<Row>): Promise<{ accepted: readonly Row[]; excess: readonly Row[] }> => {
    let result = { compared: batch, excess: [] as readonly Row[] }
    // Spooled batches come first, so that the comparison finds their rows.
    if (spool.isEmpty && !isSlow) {
      const timeout = AbortSignal.timeout(storeMs)
      try {
        await withTimeout(prepare(), storeMs / 1000, () => new Error('ClickHouse does not respond'))
        result = await compareBatch(clickHouse, table, batch, timeout)
        await insertBatch(clickHouse, table, result.compared, timeout)
        return { accepted: result.compared.rows, excess: result.excess }
      } catch (error) {
        isSlow = timeout.aborted
        const err: unknown = isSlow ? timeout.reason : error
        log.warn({ err, table: table.name }, 'ClickHouse does not store data; it waits on the disk')
      }
    }
    await addToSpool(result.compared)
    return { accepted: result.compared.rows, excess: result.excess }
  }

  /** Stores the rows of several requests, each row once, and returns the result of each request. */
  const storeRequests = async (requests: readonly Waiting<Row>[]): Promise<StoreResult<Row>[]> => {
    const byKey = new Map<string, Row>()
    for (const { rows } of requests)
      for (const row of rows) if (!byKey.has(table.toKey(row))) byKey.set(table.toKey(row), row)
    const completed = await table.complete?.([...byKey.values()])
    const rows = completed?.rows ?? [...byKey.values()]
    const { accepted, excess } = await write({ token: randomUUID(), isCompared: false, rows })
    await completed?.finish()
    const added = new Set(accepted.map(table.toKey))
    const excessKeys = new Set(excess.map(table.toKey))
    // A row that several requests contain is new in the first of them only.
    return requests.map((request) => ({
      added: request.rows.filter((row) => added.delete(table.toKey(row))).length,
      excess: request.rows.filter((row) => excessKeys.has(table.toKey(row))),
    }))
  }

  const takeBatch = (): Waiting<Row>[] => {
    let count = 0
    let [rows, bytes] = [0, 0]
    for (const next of waiting) {
      rows += next.rows.length
      bytes += next.bytes
      if (count > 0 && (rows > maxBatch.rows || bytes > maxBatch.bytes)) break
      count += 1
    }
    const batch = waiting.slice(0, count)
    waiting = waiting.slice(count)
    return batch
  }

  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = takeBatch()
      try {
        const results = await storeRequests(batch)
        for (const [position, { resolve }] of batch.entries()) resolve(results[position] ?? { added: 0, excess: [] })
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
  }

  const startFlush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    flushing ??= flush().finally(() => {
      flushing = undefined
    })
    return flushing
  }

  if (!spool.isEmpty) drain.start()
  return {
    store(received) {
      const rows = received.map(toWellFormed)
      if (rows.length === 0) return Promise.resolve({ added: 0, excess: [] })
      const bytes = rows.reduce((sum, row) => sum + table.measure(row), 0)
      const total = { rows: sumRows(waiting) + rows.length, bytes: sumBytes(waiting) + bytes }
      if (waiting.length > 0 && (total.rows > maxWaiting.rows || total.bytes > maxWaiting.bytes))
        return Promise.reject(
          new IngestError(503, 'too much data waits to be stored in ClickHouse; send the data again'),
        )
      return new Promise((resolve, reject) => {
        waiting.push({ rows, bytes, resolve, reject })
        if (total.rows >= maxBatch.rows || total.bytes >= maxBatch.bytes) void startFlush()
        else timer ??= setTimeout(() => void startFlush(), batchMs)
      })
    },
    getWaitingBytes: () => spool.bytes,
    async close() {
      await startFlush()
      await drain.stop()
      spool.close()
    },
  }
}
