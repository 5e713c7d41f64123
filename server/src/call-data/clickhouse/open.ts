import { hourMs } from '@patchbay/contract/shared/durations'
import type { FastifyBaseLogger } from 'fastify'
import { join } from 'node:path'
import type { ClickHouseAddress } from '../../config/option-types.ts'
import type { Database } from '../../database/engine.ts'
import { FatalError } from '../../lib/cli.ts'
import { withTimeout } from '../../lib/timeout.ts'
import type { CallActivity } from '../calls/call-activity.ts'
import type { Calls } from '../calls/calls.ts'
import type { Quality } from '../calls/quality.ts'
import { type CallWriter, createCallWriter } from './call-writer.ts'
import { type ClickHouse, createClickHouse, toApiError } from './clickhouse.ts'
import { createClickHouseCalls } from './clickhouse-calls.ts'
import { createClickHouseCallActivity, createClickHouseQuality } from './clickhouse-reports.ts'
import { migrateClickHouse } from './migrate.ts'
import { openSpool } from './spool.ts'

/** Time that the start of the server waits for ClickHouse. */
const startTimeoutSeconds = 5

/** Returns a function that creates the tables once. It tries again after a failure. */
const createPreparation = (clickHouse: ClickHouse, retentionDays: number): (() => Promise<void>) => {
  let prepared: Promise<void> | undefined
  return () => {
    prepared ??= migrateClickHouse(clickHouse, retentionDays).catch((error: unknown) => {
      prepared = undefined
      throw error
    })
    return prepared
  }
}

/** The state of the store of call records, for the system status. */
export interface CallStoreStatus {
  /** Throws `unavailable` (503) if ClickHouse fails. */
  read(): Promise<{
    version: string
    calls: number
    /** Compressed, with indexes and sums. */
    bytes: number
    /** Start of the latest call in milliseconds since the Unix epoch, or null if there is none. */
    lastCall: number | null
  }>
}

/** Reads the state from the metadata of the tables, without reading calls. */
const readStatus: (clickHouse: ClickHouse) => ReturnType<CallStoreStatus['read']> = async (clickHouse) => {
  const [row] = await clickHouse.query<{ version: string; calls: string; bytes: string; last: number | null }>(
    `SELECT version() AS version, sumIf(rows, table = 'calls') AS calls, sum(bytes_on_disk) AS bytes,
       (SELECT maxOrNull(hour) FROM call_hours WHERE hour <= {now:Int32}) AS last
     FROM system.parts WHERE active AND database = currentDatabase()`,
    { now: Math.floor(Date.now() / hourMs) },
  )
  if (row === undefined) throw new Error('ClickHouse returned no state')
  const lastCall = row.last === null ? null : row.last * hourMs
  return { version: row.version, calls: Number(row.calls), bytes: Number(row.bytes), lastCall }
}

export interface ClickHouseData {
  data: { calls: Calls; quality: Quality; callActivity: CallActivity; callStore: CallStoreStatus }
  close(): Promise<void>
}

/**
 * Opens the call records in ClickHouse for reading.
 * @param retentionDays days after which ClickHouse deletes call records. 0 keeps them
 */
export const openClickHouse = async (address: ClickHouseAddress, retentionDays: number): Promise<ClickHouseData> => {
  const clickHouse = await createClickHouse(address)
  const prepare = createPreparation(clickHouse, retentionDays)
  const prepared: ClickHouse = {
    ...clickHouse,
    async query(statement, parameters, signal) {
      const noResponse = () => new Error('ClickHouse does not respond')
      await withTimeout(prepare(), startTimeoutSeconds, noResponse).catch((error: unknown) => {
        throw toApiError(error, signal)
      })
      return clickHouse.query(statement, parameters, signal)
    },
  }
  return {
    data: {
      calls: createClickHouseCalls(prepared),
      quality: createClickHouseQuality(prepared),
      callActivity: createClickHouseCallActivity(prepared),
      callStore: { read: () => readStatus(prepared) },
    },
    close: () => clickHouse.close(),
  }
}

export interface CallWriterSettings {
  address: ClickHouseAddress
  retentionDays: number
  dataDir: string
  database: Database
  log: Pick<FastifyBaseLogger, 'warn' | 'info'>
  /** See `createCallWriter`. */
  batchMs?: number
}

/**
 * Opens ClickHouse for storing call records. If ClickHouse is unavailable, records wait in the data folder.
 * @throws FatalError if a newer version of Patchbay has changed the tables
 */
export const openCallWriter = async (settings: CallWriterSettings): Promise<CallWriter> => {
  const { address, retentionDays, dataDir, database, log, batchMs } = settings
  const clickHouse = await createClickHouse(address)
  const prepare = createPreparation(clickHouse, retentionDays)
  await prepare().catch((error: unknown) => {
    if (error instanceof FatalError) throw error
    log.warn({ err: error }, 'ClickHouse is unavailable; call records wait on the disk')
  })
  const spool = await openSpool(join(dataDir, 'call-record-spool'), address.maxSpoolBytes)
  const writer = createCallWriter({
    clickHouse,
    prepare,
    database,
    spool,
    log,
    ...(batchMs === undefined ? {} : { batchMs }),
  })
  return {
    ...writer,
    async close() {
      await writer.close()
      await clickHouse.close()
    },
  }
}
