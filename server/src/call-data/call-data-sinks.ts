import type { Database } from '../database/engine.ts'
import type { AlertSink } from './alerts/alerts.ts'
import { createSqlAlertSink } from './alerts/sql-alerts.ts'
import type { CallSink } from './calls/calls.ts'
import { createSqlCallSink } from './calls/sql-call-sink.ts'
import type { CaptureSink } from './captures/captures.ts'
import { createSqlCaptures } from './captures/sql-captures.ts'
import type { LogSink } from './logs/logs.ts'
import { createSqlLogs } from './logs/sql-logs.ts'
import { createSqlTraces } from './traces/sql-traces.ts'
import type { TraceSink } from './traces/traces.ts'

/** Destinations of received call data. */
export interface CallDataSinks {
  calls: CallSink
  alerts: AlertSink
  traces: TraceSink
  logs: LogSink
  captures: CaptureSink
}

export type CallDataKind = keyof CallDataSinks

/** Destinations with data that has not reached its store. */
export interface OpenCallDataSinks extends CallDataSinks {
  /** Whether a batch contains the data of several requests, so that requests have to be processed concurrently. */
  readonly hasBatches: boolean
  /** Returns the bytes on the disk of this process that wait for the store. */
  getWaitingBytes(kind: CallDataKind): number
  /** Stores what waits, and stops. */
  close(): Promise<void>
}

/** Creates the destinations in Patchbay's own tables. */
export const createSqlSinks = (database: Database): CallDataSinks => ({
  calls: createSqlCallSink(database),
  alerts: createSqlAlertSink(database),
  traces: createSqlTraces(database),
  logs: createSqlLogs(database),
  captures: createSqlCaptures(database),
})
