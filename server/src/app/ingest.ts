import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { CallDataSinks, OpenCallDataSinks } from '../call-data/call-data-sinks.ts'
import { queueConversations } from '../call-data/conversations/queue-conversations.ts'
import { createHepIntake } from '../call-data/ingest/hep-ingest.ts'
import type { IntakeServerOptions } from '../call-data/ingest/http-ingest.ts'
import { createInfluxIntake } from '../call-data/ingest/influx-ingest.ts'
import type { IntakeName } from '../call-data/ingest/intake-status.ts'
import { registerLogIngest } from '../call-data/ingest/log-ingest.ts'
import { createOtlpIntake } from '../call-data/ingest/otlp-ingest.ts'
import type { IntakeSink } from '../call-data/ingest/store-points.ts'
import type { OnUnstored } from '../call-data/ingest/unstored-records.ts'
import { createIntakeRules } from '../call-data/masking/intake-rules.ts'
import { maskLogs } from '../call-data/masking/mask-logs.ts'
import type { Masking } from '../call-data/masking/masking.ts'
import { admitAlerts, admitCalls, limitedLogs, limitedTraces } from '../call-data/quotas/limited-sinks.ts'
import type { Quotas } from '../call-data/quotas/quotas.ts'
import type { Configuration } from '../config/configuration.ts'
import type { IntakeAddress } from '../config/settings/intake-settings.ts'
import { createGracefulClose } from '../http/graceful-shutdown.ts'
import { getErrorCode } from '../lib/error-code.ts'
import { type IntakeData, intakeEvents } from '../lib/telemetry.ts'
import type { Services } from '../resources/services.ts'
import { openCallDataSinks, storesInDatabaseOnly } from './open-call-data-sinks.ts'

const publishStored = (data: IntakeData, received: number, stored: number): void => {
  intakeEvents.publish({ is: 'stored', data, count: stored })
  if (stored < received) intakeEvents.publish({ is: 'rejected', data, reason: 'quota', count: received - stored })
}

/** Creates a sink that stores received records within the quotas. */
export const createSink = (
  { calls, alerts }: Pick<CallDataSinks, 'calls' | 'alerts'>,
  quotas?: Quotas,
): IntakeSink => ({
  async writeCalls(records) {
    const admitted = quotas ? await admitCalls(quotas, records) : records
    if (admitted.length > 0) await calls.store(admitted)
    publishStored('calls', records.length, admitted.length)
  },
  rateCalls: (ratings) => calls.rate(ratings),
  async writeAlerts(records) {
    const admitted = quotas ? await admitAlerts(quotas, records) : records
    if (admitted.length > 0) await alerts.store(admitted)
    publishStored('alerts', records.length, admitted.length)
  },
})

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
  quotas: Quotas
  graceMs: number
  sinks: OpenCallDataSinks
  masking: Masking
  onUnstored: OnUnstored
}

/** Number of requests whose data a batch can contain. */
const concurrentBodies = 16

const limitBodies = ({ hasBatches }: OpenCallDataSinks) => (hasBatches ? { concurrency: concurrentBodies } : {})

/** Each batch becomes a file of the store, which has to merge them. */
const limitHep = ({ hasBatches }: OpenCallDataSinks) => (hasBatches ? { gatherMs: 500, maxBatchMessages: 5000 } : {})

const listenHttp = (app: FastifyInstance, { graceMs }: IngestDependencies): Listener => ({
  listen: (address) => app.listen(address),
  close: createGracefulClose(app, graceMs),
})

/** HEP agents authenticate with a key only, without a user name. */
const listenHep = (
  { logger, credentials, senders, onRejectedSender }: IntakeServerOptions,
  { sinks, graceMs, onUnstored }: IngestDependencies,
) => {
  const { listen, close } = createHepIntake({
    sink: sinks.captures,
    logger,
    ...(credentials && { key: credentials.password }),
    ...(senders && { senders }),
    ...(onRejectedSender && { onRejectedSender }),
    onUnstored,
    ...limitHep(sinks),
  })
  return { listen, close: () => close(graceMs) }
}

const createIntakes = (
  { influxIntake, otlpIntake, hepIntake, traceCallAttributes }: Configuration,
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
          sink: createSink(dependencies.sinks, dependencies.quotas),
          ...limitBodies(dependencies.sinks),
        }),
        dependencies,
      ),
  },
  {
    name: 'otlp',
    what: 'traces and logs',
    address: otlpIntake,
    create: (options) => {
      const { masking, sinks, quotas } = dependencies
      const limited = { ...options, ...limitBodies(sinks) }
      const intake = createOtlpIntake({
        ...limited,
        callAttributes: traceCallAttributes,
        rules: createIntakeRules(masking.rules),
        onOverrun: (service_provider_sid) => masking.overruns.add(service_provider_sid),
        sink: limitedTraces(sinks.traces, quotas),
      })
      registerLogIngest(intake, { ...limited, sink: maskLogs(limitedLogs(sinks.logs, quotas), masking) })
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

/** The services of the app that the intakes use too. They are closed after the intakes. */
type SharedServices = Pick<Services, 'configuration' | 'database' | 'intakes' | 'calls' | 'masking' | 'quotas'>

/**
 * Starts each intake on the port of its protocol. A port that is in use is logged as a warning and does not stop the
 * server; the status of the intakes contains the result. Returns a function that closes all intakes.
 */
export const startIngestServers = async (
  { configuration, database, intakes: status, calls, masking, quotas }: SharedServices,
  logger: FastifyBaseLogger,
  graceMs: number,
): Promise<Close> => {
  const listen = async ({ name, what, address, create }: Intake): Promise<Close[]> => {
    if (address === null) return []
    const { host, port, ...writers } = address
    const timeoutSeconds = configuration.requestTimeoutSeconds
    const onRejectedSender = status.rejectedSenders[name].add
    const intake = create({ logger, host, timeoutSeconds, onRejectedSender, ...writers })
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
  const sinks = queueConversations(await openCallDataSinks(configuration, database, logger), database, {
    calls: configuration.timeSeries === null ? calls : undefined,
    isDatabaseOnly: storesInDatabaseOnly(configuration),
  })
  status.watchWaiting((kind) => sinks.getWaitingBytes(kind))
  const all = await Promise.all(
    createIntakes(configuration, { quotas, graceMs, sinks, masking, onUnstored: status.unstored.add }).map(listen),
  )
  return async () => {
    await Promise.allSettled(all.flat().map((close) => close()))
    await sinks.close()
  }
}
