import type { FastifyBaseLogger } from 'fastify'
import { createSqlSinks, type OpenCallDataSinks } from '../call-data/call-data-sinks.ts'
import type { ClickHouseSinkTiming } from '../call-data/clickhouse/open-sinks.ts'
import type { Configuration } from '../config/configuration.ts'
import type { Database } from '../database/engine.ts'

/** Returns whether calls, spans, and log lines are stored in the database, and not in a store of the platform. */
export const storesInDatabaseOnly = ({ clickHouse, jaeger, timeSeries }: Configuration): boolean =>
  clickHouse === null && jaeger === null && timeSeries === null

/** Opens the destinations of received call data, in ClickHouse if it is configured. */
export const openCallDataSinks = async (
  { clickHouse: address, callDataDays: retentionDays, dataDir, traceCallAttributes }: Configuration,
  database: Database,
  log: FastifyBaseLogger,
  timing: ClickHouseSinkTiming = {},
): Promise<OpenCallDataSinks> => {
  if (address === null)
    return {
      ...createSqlSinks(database),
      hasBatches: false,
      getWaitingBytes: () => 0,
      close: () => Promise.resolve(),
    }
  const { openClickHouseSinks } = await import('../call-data/clickhouse/open-sinks.ts')
  return openClickHouseSinks({
    address,
    retentionDays,
    dataDir,
    database,
    traceCallAttributes,
    log,
    ...timing,
  })
}
