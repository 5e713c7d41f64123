import type { FastifyBaseLogger } from 'fastify'
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { deleteDelays, readDelays } from '../../database/call-day-counts.ts'
import type { Database } from '../../database/engine.ts'
import { IngestError } from '../ingest/ingest-error.ts'
import type { CallRecord } from '../ingest/parse-call-point.ts'
import { type NewCallRow, toCallRow } from './call-rows.ts'
import type { ClickHouse } from './clickhouse.ts'
import { toKey, withoutStored } from './stored-rows.ts'
import { type Batch, type Spool, SpoolFullError } from './spool.ts'

/**
 * Stores call records in ClickHouse in batches. A record is accepted when ClickHouse has stored its batch, or when the
 * spool has. Records that are stored already are left out, as senders repeat requests without a response.
 */

export interface CallWriter {
  /**
   * Stores records.
   * @throws IngestError 503 if neither ClickHouse nor the spool accepts them, or if too many records wait
   */
  store(records: readonly CallRecord[]): Promise<void>
  /** Bytes of records on the disk that wait for ClickHouse. */
  getWaitingBytes(): number
  /** Stores what waits, and stops. Spooled batches remain on the disk. */
  close(): Promise<void>
}

interface Waiting {
  rows: readonly NewCallRow[]
  resolve: () => void
  reject: (error: unknown) => void
}

export interface CallWriterOptions {
  clickHouse: ClickHouse
  /** Creates the tables if ClickHouse was unavailable when the server started. */
  prepare: () => Promise<void>
  database: Database
  spool: Spool
  log: Pick<FastifyBaseLogger, 'warn' | 'info'>
  /** Maximum time that a record waits for others. Each insert creates a file in ClickHouse, which has to merge them. */
  batchMs?: number
}

const maxBatchRows = 5000
const maxWaitingRows = 20_000
const maxRetryMs = 30_000

/** Creates the writer and begins to store the batches of the spool. */
export const createCallWriter = ({
  clickHouse,
  prepare,
  database,
  spool,
  log,
  batchMs = 200,
}: CallWriterOptions): CallWriter => {
  const stopping = new AbortController()
  let waiting: Waiting[] = []
  let waitingRows = 0
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> | undefined
  let draining: Promise<void> | undefined

  const compare = async (batch: Batch): Promise<Batch> => {
    if (batch.isCompared) return batch
    await prepare()
    return { ...batch, isCompared: true, rows: await withoutStored(clickHouse, batch.rows) }
  }

  const insert = async ({ rows, token }: Batch): Promise<void> => {
    if (rows.length > 0) await clickHouse.insert('calls', rows, token)
  }

  /** Moves the spooled batches to ClickHouse, in their order, until the spool is empty. */
  const drain = async (): Promise<void> => {
    let retryMs = 500
    for (;;) {
      const batch = await spool.first()
      if (batch === undefined || stopping.signal.aborted) return
      try {
        const compared = await compare(batch)
        if (!batch.isCompared) await spool.replaceFirst(compared)
        await insert(compared)
        await spool.removeFirst()
        if (spool.isEmpty) log.info('ClickHouse has stored all call records that waited on the disk')
        retryMs = 500
      } catch {
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
      log.warn({ err: error }, 'call records that wait on the disk cannot be read; retrying with the next record')
    }
  }

  const addToSpool = async (batch: Batch): Promise<void> => {
    try {
      await spool.add(batch)
    } catch (error) {
      const reason = error instanceof SpoolFullError ? 'the disk space for waiting records is full' : 'the disk failed'
      throw new IngestError(503, `ClickHouse is unavailable, and ${reason}; send the points again`, { cause: error })
    } finally {
      startDraining()
    }
  }

  const write = async (batch: Batch): Promise<void> => {
    // Spooled batches come first, so that the comparison finds their records.
    if (!spool.isEmpty) return addToSpool(batch)
    let compared = batch
    try {
      compared = await compare(batch)
      await insert(compared)
    } catch (error) {
      log.warn({ err: error }, 'ClickHouse does not store call records; they wait on the disk')
      await addToSpool(compared)
    }
  }

  const storeRows = async (allRows: readonly NewCallRow[]): Promise<void> => {
    const byKey = new Map<string, NewCallRow>()
    for (const row of allRows) if (!byKey.has(toKey(row))) byKey.set(toKey(row), row)
    const rows = [...byKey.values()]
    const calls = rows.map(({ has_call_sid, call_key }) => ({ call_sid: has_call_sid ? call_key : null }))
    const reported = await readDelays(database.db, calls)
    const withDelays = rows.map((row) => ({ ...row, post_dial_delay: reported.delays.get(row.call_key) ?? null }))
    await write({ token: randomUUID(), isCompared: false, rows: withDelays })
    await deleteDelays(database.db, reported)
  }

  const takeBatch = (): Waiting[] => {
    const batch: Waiting[] = []
    let rows = 0
    while (waiting.length > 0 && (rows === 0 || rows + (waiting[0]?.rows.length ?? 0) <= maxBatchRows)) {
      const next = waiting.shift()
      if (next === undefined) break
      batch.push(next)
      rows += next.rows.length
    }
    waitingRows -= rows
    return batch
  }

  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = takeBatch()
      try {
        await storeRows(batch.flatMap(({ rows }) => rows))
        for (const { resolve } of batch) resolve()
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
    store(records) {
      if (records.length === 0) return Promise.resolve()
      if (waitingRows + records.length > maxWaitingRows)
        return Promise.reject(new IngestError(503, 'too many call records wait to be stored; send the points again'))
      return new Promise((resolve, reject) => {
        waiting.push({ rows: records.map(toCallRow), resolve, reject })
        waitingRows += records.length
        if (waitingRows >= maxBatchRows) void startFlush()
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
