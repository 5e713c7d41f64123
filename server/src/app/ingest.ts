import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { createGracefulClose } from '../http/graceful-shutdown.ts'
import type { CallWriter } from '../call-data/clickhouse/call-writer.ts'
import type { Configuration, IntakeAddress } from '../config/configuration.ts'
import type { Database } from '../database/engine.ts'
import { createSqlAlerts } from '../call-data/alerts/sql-alerts.ts'
import type { CallStore } from '../call-data/calls/calls.ts'
import { createSqlCalls } from '../call-data/calls/sql-calls.ts'
import {
  enqueueConversations,
  enqueueTraces,
  type QueuedCall,
  settlingMs,
} from '../call-data/conversations/conversation-queue.ts'
import { type CallRecord, parseAlertPoint, parseCallPoint } from '../call-data/ingest/parse-call-point.ts'
import type { IntakeServerOptions } from '../call-data/ingest/http-ingest.ts'
import { createSqlCaptures } from '../call-data/captures/sql-captures.ts'
import { createHepIntake } from '../call-data/ingest/hep-ingest.ts'
import { registerLogIngest } from '../call-data/ingest/log-ingest.ts'
import { createInfluxIntake } from '../call-data/ingest/influx-ingest.ts'
import { createIntakeStatus, type IntakeName } from '../call-data/ingest/intake-status.ts'
import { type IntakeData, intakeEvents } from '../lib/telemetry.ts'
import { getErrorCode } from '../lib/error-code.ts'
import type { IntakeSink } from '../call-data/ingest/store-points.ts'
import type { Point } from '../call-data/ingest/line-protocol.ts'
import { createOtlpIntake } from '../call-data/ingest/otlp-ingest.ts'
import { createSqlLogs } from '../call-data/logs/sql-logs.ts'
import { admitAlerts, admitCalls, limitedLogs, limitedTraces } from '../call-data/quotas/limited-sinks.ts'
import { createQuotas, type Quotas } from '../call-data/quotas/quotas.ts'
import { createSqlTraces } from '../call-data/traces/sql-traces.ts'
import type { TraceSink } from '../call-data/traces/traces.ts'

const publishStored = (data: IntakeData, received: number, stored: number): void => {
  intakeEvents.publish({ is: 'stored', data, count: stored })
  if (stored < received) intakeEvents.publish({ is: 'rejected', data, reason: 'quota', count: received - stored })
}

/** Returns the calls that can have a conversation. */
const findConversationCalls = (records: readonly CallRecord[]): QueuedCall[] =>
  records.flatMap(({ account_sid, call_sid, trace_id, recording_url }) =>
    call_sid !== null && (trace_id !== null || recording_url !== null) ? [{ account_sid, call_sid }] : [],
  )

/** Creates a sink that computes conversations again if it receives later spans of their calls. */
const withConversations = (sink: TraceSink, database: Database): TraceSink => ({
  async storeParts(parts) {
    const rejected = await sink.storeParts(parts)
    const trace_ids = [...new Set(parts.map(({ trace_id }) => trace_id))]
    await enqueueTraces(database, trace_ids, Date.now() + settlingMs)
    return rejected
  },
})

/**
 * Creates a sink that stores received points in the database, within the quotas. Points that are neither a call nor an
 * alert have been rejected before.
 * @param calls store of call records. Default: the database
 */
export const createSink = (
  database: Database,
  quotas?: Quotas,
  calls: Pick<CallStore, 'store'> = createSqlCalls(database),
): IntakeSink => {
  const alerts = createSqlAlerts(database)
  const parseValid = <T>(
    points: readonly Point[],
    read: (point: Point) => { ok: true; value: T } | { ok: false },
  ): T[] =>
    points.flatMap((point) => {
      const result = read(point)
      return result.ok ? [result.value] : []
    })
  return {
    async writeCalls(points) {
      const records = parseValid(points, parseCallPoint)
      const admitted = quotas ? await admitCalls(quotas, records) : records
      if (admitted.length > 0) await calls.store(admitted)
      await enqueueConversations(database, findConversationCalls(admitted), Date.now() + settlingMs)
      publishStored('calls', records.length, admitted.length)
    },
    async writeAlerts(points) {
      const records = parseValid(points, parseAlertPoint)
      const admitted = quotas ? await admitAlerts(quotas, records) : records
      if (admitted.length > 0) await alerts.store(admitted)
      publishStored('alerts', records.length, admitted.length)
    },
  }
}

type Close = () => Promise<void>

interface Listener {
  listen: (address: { host: string; port: number }) => Promise<unknown>
  close: Close
}

interface Intake {
  name: IntakeName
  /** Kind of data received, for the log. */
  what: string
  address: IntakeAddress | null
  create: (options: IntakeServerOptions) => Listener
}

/** Dependencies that all intakes share. */
interface IngestDependencies {
  database: Database
  quotas: Quotas
  graceMs: number
  /** Stores call records outside the database. */
  callWriter: CallWriter | undefined
}

/**
 * Opens the store of call records in ClickHouse, if one is configured.
 * @param batchMs maximum time that a record waits for others
 */
export const openConfiguredCallWriter = async (
  { clickHouse: address, callDataDays: retentionDays, dataDir }: Configuration,
  database: Database,
  log: FastifyBaseLogger,
  batchMs?: number,
): Promise<CallWriter | undefined> => {
  if (address === null) return undefined
  const { openCallWriter } = await import('../call-data/clickhouse/open.ts')
  return openCallWriter({
    address,
    retentionDays,
    dataDir,
    database,
    log,
    ...(batchMs === undefined ? {} : { batchMs }),
  })
}

/** A batch for ClickHouse contains the points of several requests. */
const concurrentBodies = 16

const listenHttp = (app: FastifyInstance, { graceMs }: IngestDependencies): Listener => ({
  listen: (address) => app.listen(address),
  close: createGracefulClose(app, graceMs),
})

/** HEP agents authenticate with a key only, without a user name. */
const listenHep = ({ logger, credentials }: IntakeServerOptions, { database, graceMs }: IngestDependencies) => {
  const key = credentials && { key: credentials.password }
  const { listen, close } = createHepIntake({ sink: createSqlCaptures(database), logger, ...key })
  return { listen, close: () => close(graceMs) }
}

const createIntakes = (
  { influxIntake, otlpIntake, hepIntake }: Configuration,
  dependencies: IngestDependencies,
): Intake[] => [
  {
    name: 'influx',
    what: 'call records',
    address: influxIntake,
    create: (options) =>
      listenHttp(
        createInfluxIntake({
          ...options,
          sink: createSink(dependencies.database, dependencies.quotas, dependencies.callWriter),
          ...(dependencies.callWriter ? { concurrency: concurrentBodies } : {}),
        }),
        dependencies,
      ),
  },
  {
    name: 'otlp',
    what: 'traces and logs',
    address: otlpIntake,
    create: (options) => {
      const intake = createOtlpIntake({
        ...options,
        sink: withConversations(
          limitedTraces(createSqlTraces(dependencies.database), dependencies.quotas),
          dependencies.database,
        ),
      })
      registerLogIngest(intake, {
        ...options,
        sink: limitedLogs(createSqlLogs(dependencies.database), dependencies.quotas),
      })
      return listenHttp(intake, dependencies)
    },
  },
  {
    name: 'hep',
    what: 'captured SIP',
    address: hepIntake,
    create: (options) => listenHep(options, dependencies),
  },
]

/**
 * Starts each intake on the port of its protocol. A port that is in use is logged as a warning and does not stop the
 * server; `status` contains the result. Returns a function that closes all intakes.
 */
export const startIngestServers = async (
  configuration: Configuration,
  database: Database,
  logger: FastifyBaseLogger,
  graceMs: number,
  status = createIntakeStatus(),
): Promise<Close> => {
  const quotas = createQuotas({
    database,
    limits: configuration.accountQuotas,
    logger,
    raisesAlerts: configuration.timeSeries === null,
  })
  const listen = async ({ name, what, address, create }: Intake): Promise<Close[]> => {
    if (address === null) return []
    const { host, port, credentials } = address
    const timeoutSeconds = configuration.requestTimeoutSeconds
    const intake = create({ logger, host, timeoutSeconds, ...(credentials ? { credentials } : {}) })
    try {
      await intake.listen({ host, port })
      status.set(name, { is: 'listening' })
      return [intake.close]
    } catch (error) {
      status.set(name, { is: 'failed', code: getErrorCode(error) })
      logger.warn({ err: error, intake: what, host, port }, 'an intake cannot use its port and receives nothing')
      await intake.close()
      return []
    }
  }
  const callWriter = await openConfiguredCallWriter(configuration, database, logger)
  if (callWriter !== undefined) status.watchWaitingCalls(() => callWriter.getWaitingBytes())
  const all = await Promise.all(createIntakes(configuration, { database, quotas, graceMs, callWriter }).map(listen))
  return async () => {
    await Promise.allSettled(all.flat().map((close) => close()))
    await callWriter?.close()
  }
}
