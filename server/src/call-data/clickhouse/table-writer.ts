import type { FastifyBaseLogger } from 'fastify'
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { IngestError } from '../ingest/ingest-error.ts'
import type { ClickHouse } from './clickhouse.ts'
import { type Batch, type Spool, SpoolFullError } from './spool.ts'
import { isRejectedData } from './rejected-data.ts'
import { compareTimeoutMs, type StoredTable } from './stored-table.ts'

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

export interface TableWriterOptions<Row extends object> {
  table: StoredTable<Row>
  clickHouse: ClickHouse
  /** Creates the tables if ClickHouse was unavailable when the server started. */
  prepare: () => Promise<void>
  spool: Spool<Row>
  /** Called with rows that have waited on the disk when ClickHouse has stored them. */
  onDrained?: (rows: readonly Row[]) => Promise<void>
  log: Pick<FastifyBaseLogger, 'error' | 'warn' | 'info'>
  /** Maximum time that a row waits for others. Each insert creates a file in ClickHouse, which has to merge them. */
  batchMs?: number
}

/** Limits of a batch, and of the rows that wait. A single request can exceed those of a batch. */
const maxBatch = { rows: 5000, bytes: 8 * 1024 * 1024 }
const maxWaiting = { rows: 20_000, bytes: 32 * 1024 * 1024 }
const maxRetryMs = 30_000

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
export const createTableWriter = <Row extends object>({
  table,
  clickHouse,
  prepare,
  spool,
  onDrained,
  log,
  batchMs = 200,
}: TableWriterOptions<Row>): TableWriter<Row> => {
  const stopping = new AbortController()
  let waiting: Waiting<Row>[] = []
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> | undefined
  let draining: Promise<void> | undefined

  /** Leaves out the rows that ClickHouse has, and those that exceed a limit, which it also returns. */
  const compare = async (batch: Batch<Row>): Promise<{ compared: Batch<Row>; excess: readonly Row[] }> => {
    if (batch.isCompared) return { compared: batch, excess: [] }
    await prepare()
    const { missing, excess } = await table.compare(clickHouse, batch.rows, AbortSignal.timeout(compareTimeoutMs))
    return { compared: { ...batch, isCompared: true, rows: missing }, excess }
  }

  const insert = async ({ rows, token }: Batch<Row>): Promise<void> => {
    if (rows.length > 0) await clickHouse.insert(table.name, rows, token)
  }

  /**
   * Inserts a spooled batch. If ClickHouse rejects the content of a row, the others are stored: halves are tried, down to
   * the row, which remains on the disk. The tokens are the same in each attempt.
   */
  const insertSpooled = async ({ rows, token }: Batch<Row>): Promise<void> => {
    try {
      await insert({ rows, token, isCompared: true })
    } catch (error) {
      if (!isRejectedData(error)) throw error
      if (rows.length <= 1) {
        await spool.keepRejected({ rows, token, isCompared: true })
        log.error({ err: error, table: table.name }, 'ClickHouse rejects a row, which stays in a file of the spool')
        return
      }
      const middle = rows.length >> 1
      await insertSpooled({ rows: rows.slice(0, middle), token: `${token}-0`, isCompared: true })
      await insertSpooled({ rows: rows.slice(middle), token: `${token}-1`, isCompared: true })
    }
  }

  /** Stores the result of a comparison in the spool. Without it, the batch is compared again after a failure. */
  const keepComparison = async (compared: Batch<Row>): Promise<void> => {
    try {
      await spool.replaceFirst(compared)
    } catch (error) {
      log.warn({ err: error, table: table.name }, 'the disk has no space for data that ClickHouse stores now')
    }
  }

  /** Moves the spooled batches to ClickHouse, in their order, until the spool is empty. */
  const drain = async (): Promise<void> => {
    let retryMs = 500
    let isFailing = false
    for (;;) {
      const batch = await spool.first()
      if (batch === undefined || stopping.signal.aborted) return
      try {
        const { compared } = await compare(batch)
        if (!batch.isCompared) await keepComparison(compared)
        await insertSpooled(compared)
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

  const startDraining = (): void => {
    draining ??= drainOnce()
  }

  const drainOnce = async (): Promise<void> => {
    try {
      await drain()
      draining = undefined
      // A batch can have been added after the last look.
      if (!spool.isEmpty && !stopping.signal.aborted) startDraining()
    } catch (error) {
      draining = undefined
      log.warn(
        { err: error, table: table.name },
        'data that waits on the disk cannot be read; retrying with the next data of the table',
      )
    }
  }

  const addToSpool = async (batch: Batch<Row>): Promise<void> => {
    try {
      await spool.add(batch)
    } catch (error) {
      const reason = error instanceof SpoolFullError ? 'the disk space for waiting data is full' : 'the disk failed'
      throw new IngestError(503, `ClickHouse is unavailable, and ${reason}; send the data again`, { cause: error })
    } finally {
      startDraining()
    }
  }

  /** Stores a batch. Returns the rows that were accepted, and those that exceed a limit. */
  const write = async (batch: Batch<Row>): Promise<{ accepted: readonly Row[]; excess: readonly Row[] }> => {
    let result = { compared: batch, excess: [] as readonly Row[] }
    // Spooled batches come first, so that the comparison finds their rows.
    if (spool.isEmpty)
      try {
        result = await compare(batch)
        await insert(result.compared)
        return { accepted: result.compared.rows, excess: result.excess }
      } catch (error) {
        log.warn({ err: error, table: table.name }, 'ClickHouse does not store data; it waits on the disk')
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

  if (!spool.isEmpty) startDraining()
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
      stopping.abort()
      await draining
      spool.close()
    },
  }
}
