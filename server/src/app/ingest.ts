import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { createGracefulClose } from '../http/graceful-shutdown.ts'
import type { Configuration, IntakeAddress } from '../config/configuration.ts'
import type { Database } from '../database/engine.ts'
import { createSqlAlerts } from '../call-data/alerts/sql-alerts.ts'
import { createSqlCalls } from '../call-data/calls/sql-calls.ts'
import { alertFromPoint, callFromPoint } from '../call-data/ingest/parse-call-point.ts'
import type { IntakeServerOptions } from '../call-data/ingest/http-ingest.ts'
import { createSqlCaptures } from '../call-data/captures/sql-captures.ts'
import { createHepIntake } from '../call-data/ingest/hep-ingest.ts'
import { takeLogs } from '../call-data/ingest/log-ingest.ts'
import { createInfluxIntake } from '../call-data/ingest/influx-ingest.ts'
import type { IntakeSink } from '../call-data/ingest/store-points.ts'
import type { Point } from '../call-data/ingest/line-protocol.ts'
import { createOtlpIntake } from '../call-data/ingest/otlp-ingest.ts'
import { createSqlLogs } from '../call-data/logs/sql-logs.ts'
import { admittedAlerts, admittedCalls, limitedLogs, limitedTraces } from '../call-data/quotas/limited-sinks.ts'
import { createQuotas, type Quotas } from '../call-data/quotas/quotas.ts'
import { createSqlTraces } from '../call-data/traces/sql-traces.ts'

/** Points of the intake become records of our own stores, as far as `quotas` allow. What is no call or alert was refused before. */
export const createSink = (database: Database, quotas?: Quotas): IntakeSink => {
  const calls = createSqlCalls(database)
  const alerts = createSqlAlerts(database)
  const valid = <T>(points: readonly Point[], read: (point: Point) => { ok: true; value: T } | { ok: false }): T[] =>
    points.flatMap((point) => {
      const result = read(point)
      return result.ok ? [result.value] : []
    })
  return {
    async writeCalls(points) {
      const records = valid(points, callFromPoint)
      const some = quotas ? await admittedCalls(quotas, records) : records
      if (some.length > 0) await calls.store(some)
    },
    async writeAlerts(points) {
      const records = valid(points, alertFromPoint)
      const some = quotas ? await admittedAlerts(quotas, records) : records
      if (some.length > 0) await alerts.store(some)
    },
  }
}

type Close = () => Promise<void>

interface Listener {
  listen: (address: { host: string; port: number }) => Promise<unknown>
  close: Close
}

interface Intake {
  /** what it receives, for the log */
  what: string
  address: IntakeAddress | null
  create: (options: IntakeServerOptions) => Listener
}

/** What all of them are made of. */
interface Surroundings {
  database: Database
  quotas: Quotas
  graceMilliseconds: number
}

const overHttp = (app: FastifyInstance, { graceMilliseconds }: Surroundings): Listener => ({
  listen: (address) => app.listen(address),
  close: createGracefulClose(app, graceMilliseconds),
})

/** Its agents have a key, and no name. */
const overHep = ({ logger, credentials }: IntakeServerOptions, { database, graceMilliseconds }: Surroundings) => {
  const key = credentials && { key: credentials.password }
  const { listen, close } = createHepIntake({ sink: createSqlCaptures(database), logger, ...key })
  return { listen, close: () => close(graceMilliseconds) }
}

const intakesOf = ({ influxIntake, otlpIntake, hepIntake }: Configuration, around: Surroundings): Intake[] => [
  {
    what: 'call records',
    address: influxIntake,
    create: (options) =>
      overHttp(createInfluxIntake({ ...options, sink: createSink(around.database, around.quotas) }), around),
  },
  {
    what: 'traces and logs',
    address: otlpIntake,
    create: (options) => {
      const intake = createOtlpIntake({
        ...options,
        sink: limitedTraces(createSqlTraces(around.database), around.quotas),
      })
      takeLogs(intake, { ...options, sink: limitedLogs(createSqlLogs(around.database), around.quotas) })
      return overHttp(intake, around)
    },
  },
  { what: 'captured SIP', address: hepIntake, create: (options) => overHep(options, around) },
]

/** Each listens on its protocol's own port; a port already taken is a warning, not a crash. Answers what ends them. */
export const startIngestServers = async (
  configuration: Configuration,
  database: Database,
  logger: FastifyBaseLogger,
  graceMilliseconds: number,
): Promise<Close> => {
  const quotas = createQuotas({
    database,
    limits: configuration.accountQuotas,
    logger,
    raisesAlerts: configuration.timeSeries === null,
  })
  const listen = async ({ what, address, create }: Intake): Promise<Close[]> => {
    if (address === null) return []
    const { host, port, credentials } = address
    const timeoutSeconds = configuration.requestTimeoutSeconds
    const intake = create({ logger, host, timeoutSeconds, ...(credentials ? { credentials } : {}) })
    try {
      await intake.listen({ host, port })
      return [intake.close]
    } catch (error) {
      logger.warn({ err: error }, `${what}: nothing is received, port ${port} of ${host} cannot be used`)
      await intake.close()
      return []
    }
  }
  const all = await Promise.all(intakesOf(configuration, { database, quotas, graceMilliseconds }).map(listen))
  return async () => {
    await Promise.allSettled(all.flat().map((close) => close()))
  }
}
