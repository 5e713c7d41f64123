import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import type { ClickHouseAddress } from '../../config/option-types.ts'
import type { Database } from '../../database/engine.ts'
import { FatalError } from '../../lib/cli.ts'
import { createSqlAlertSink } from '../alerts/sql-alerts.ts'
import type { OpenCallDataSinks } from '../call-data-sinks.ts'
import { storeBlockedRecords } from '../calls/blocked-calls.ts'
import { withMarks } from '../captures/sip-marks.ts'
import { rateCalls } from './call-costs.ts'
import { toCallRow } from './call-rows.ts'
import { createCallTable } from './call-table.ts'
import { createClickHouse } from './clickhouse.ts'
import { createClickHouseCaptureSink, messageTable } from './clickhouse-captures.ts'
import { createClickHouseLogSink, type LogRow, logTable } from './clickhouse-logs.ts'
import { createClickHouseTraceSink, type TraceRow, traceTable } from './clickhouse-traces.ts'
import { createPreparation } from './migrate-clickhouse.ts'
import { queueDrainedCalls, queueDrainedTraces } from './queue-drained.ts'
import { openSpool } from './spool.ts'
import type { StoredTable } from './stored-table.ts'
import { createTableWriter, type TableWriter, type TableWriterOptions } from './table-writer.ts'

export type ClickHouseSinkTiming = Pick<TableWriterOptions<object>, 'batchMs' | 'storeMs' | 'tokenMs'>

export interface ClickHouseSinkSettings extends ClickHouseSinkTiming {
  address: ClickHouseAddress
  retentionDays: number
  dataDir: string
  /** Contains what is not in ClickHouse, such as alerts. */
  database: Database
  /** Names of the span attributes that name a call. */
  traceCallAttributes: readonly string[]
  log: Pick<FastifyBaseLogger, 'error' | 'warn' | 'info'>
}

/**
 * Opens ClickHouse for storing call data. If ClickHouse is unavailable, the data waits in the data folder.
 * @throws FatalError if a newer version of Patchbay has changed the tables
 */
export const openClickHouseSinks = async (settings: ClickHouseSinkSettings): Promise<OpenCallDataSinks> => {
  const { address, retentionDays, dataDir, database, traceCallAttributes, log, ...timing } = settings
  const clickHouse = await createClickHouse(address)
  const prepare = createPreparation(clickHouse, retentionDays)
  await prepare().catch((error: unknown) => {
    if (error instanceof FatalError) throw error
    log.warn({ err: error }, 'ClickHouse is unavailable; call data waits on the disk')
  })

  /** Each table has its own writer and disk space, so that no kind of data delays or displaces another. */
  const openWriter = async <Row extends object>(
    table: StoredTable<Row>,
    more: Pick<TableWriterOptions<Row>, 'batchMs' | 'onDrained'> = {},
  ): Promise<TableWriter<Row>> => {
    const spool = await openSpool<Row>(join(dataDir, 'clickhouse-spool', table.name), address.maxSpoolBytes)
    return createTableWriter({ table, clickHouse, prepare, spool, log, ...timing, ...more })
  }
  // The conversations of calls that have waited are computed when ClickHouse has their data.
  const calls = await openWriter(createCallTable(database), {
    onDrained: (rows) => queueDrainedCalls(database, rows),
  })
  const callAttributes = new Set(traceCallAttributes)
  const traces = await openWriter<TraceRow>(traceTable, {
    onDrained: (rows) => queueDrainedTraces(database, callAttributes, rows),
  })
  const logs = await openWriter<LogRow>(logTable)
  // The intake gathers packets itself.
  const captures = await openWriter(messageTable, { batchMs: 0 })
  const writers = { calls, traces, logs, captures }
  return {
    alerts: createSqlAlertSink(database),
    calls: {
      async store(records) {
        await calls.store(records.map(toCallRow))
        await storeBlockedRecords(database, records)
      },
      rate: (ratings) => rateCalls({ clickHouse, prepare, hasWaiting: () => calls.getWaitingBytes() > 0 }, ratings),
    },
    traces: createClickHouseTraceSink(traces, database),
    logs: createClickHouseLogSink(logs),
    captures: withMarks(createClickHouseCaptureSink(captures), database),
    hasBatches: true,
    getWaitingBytes: (kind) => (kind in writers ? writers[kind as keyof typeof writers].getWaitingBytes() : 0),
    async close() {
      await Promise.all(Object.values(writers).map((writer) => writer.close()))
      await clickHouse.close()
    },
  }
}
