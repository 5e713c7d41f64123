import type { FastifyBaseLogger } from 'fastify'
import type { Billing } from '../adapters/billing/billing.ts'
import { createStripeBilling } from '../adapters/billing/stripe-billing.ts'
import type { LiveCalls } from '../adapters/live-calls/live-calls.ts'
import { purgeRegularly } from '../adapters/live-calls/purge.ts'
import { createRedisLiveCalls } from '../adapters/live-calls/redis-live-calls.ts'
import type { Mail } from '../adapters/mail/mail.ts'
import { createOutbox } from '../adapters/mail/outbox.ts'
import { createObjectStorage, type ObjectStorage } from '../adapters/object-storage/object-storage.ts'
import type { PlatformHealth } from '../adapters/platform-health/platform-health.ts'
import { createRedisPlatformHealth } from '../adapters/platform-health/redis-platform-health.ts'
import { connectRedis } from '../adapters/redis.ts'
import { createRedisRegistrations } from '../adapters/registrations/redis-registrations.ts'
import type { Registrations } from '../adapters/registrations/registrations.ts'
import { createRedisTtsCache } from '../adapters/tts-cache/redis-tts-cache.ts'
import type { TtsCache } from '../adapters/tts-cache/tts-cache.ts'
import type { Counters } from '../auth/counters/counters.ts'
import { createRedisCounters } from '../auth/counters/redis-counters.ts'
import type { Rates } from '../auth/rate-limit/rate-limit-store.ts'
import { createRedisRates } from '../auth/rate-limit/redis-store.ts'
import { createRedisSessions } from '../auth/sessions/redis-sessions.ts'
import type { SessionsElsewhere } from '../auth/sessions/sessions.ts'
import type { Alerts, ReturnAlerts } from '../call-data/alerts/alerts.ts'
import type { CallActivity } from '../call-data/calls/call-activity.ts'
import type { Calls } from '../call-data/calls/calls.ts'
import type { QualityTotals } from '../call-data/calls/quality.ts'
import type { Captures } from '../call-data/captures/captures.ts'
import { createHomerCaptures } from '../call-data/captures/homer-captures.ts'
import type { CallDataStore } from '../call-data/clickhouse/status.ts'
import type { ExternalTranscriptIndex } from '../call-data/conversations/external-transcript-index.ts'
import type { DeletableRecordings, DeletionStep } from '../call-data/deletion/deletion.ts'
import { createInfluxAlerts } from '../call-data/influxdb/influx-alerts.ts'
import { createInfluxCallActivity } from '../call-data/influxdb/influx-call-activity.ts'
import { createInfluxCalls } from '../call-data/influxdb/influx-calls.ts'
import { createInfluxQuality } from '../call-data/influxdb/influx-quality.ts'
import { createInfluxDb } from '../call-data/influxdb/influxdb.ts'
import { createCloudWatchLogs } from '../call-data/logs/cloudwatch-logs.ts'
import type { Logs } from '../call-data/logs/logs.ts'
import { createJaegerTraces } from '../call-data/traces/jaeger-traces.ts'
import type { Traces } from '../call-data/traces/traces.ts'
import type { Configuration } from '../config/configuration.ts'
import type { Database } from '../database/engine.ts'

/**
 * Services outside the database, as far as they are configured. For each absent one the server uses the database or
 * memory instead.
 */
export interface ExternalServices {
  sessions?: SessionsElsewhere
  counters?: Counters
  registrations?: Registrations
  rates?: Rates
  ttsCache?: TtsCache
  liveCalls?: LiveCalls
  health?: PlatformHealth
  calls?: Calls
  qualityTotals?: QualityTotals
  callActivity?: CallActivity
  callDataStore?: CallDataStore
  /** Creates the steps that delete call data that the database does not contain. */
  createDeletionSteps?: (database: Database, recordings: DeletableRecordings) => DeletionStep[]
  returnAlerts?: ReturnAlerts
  alerts?: Alerts
  traces?: Traces
  logs?: Logs
  captures?: Captures
  transcriptIndex?: ExternalTranscriptIndex
  billing?: Billing
  mail: Mail
  /** Delays before retries of emails with codes and links. */
  mailRetryMs?: readonly number[]
  objectStorage: ObjectStorage
  close(): Promise<void>
}

/** Connects on the first query, so that the server starts without ClickHouse. */
const createClickHouseData = async ({
  clickHouse: address,
  callDataDays,
  otlpIntake,
}: Pick<Configuration, 'clickHouse' | 'callDataDays' | 'otlpIntake'>) => {
  if (address === null) return { data: {}, close: () => Promise.resolve() }
  const { openClickHouse } = await import('../call-data/clickhouse/open.ts')
  const { data, close } = await openClickHouse(address, callDataDays)
  const { logs, ...others } = data
  // If the port is disabled, senders cannot send log lines.
  return { data: { ...others, ...(otlpIntake === null ? {} : { logs }) }, close }
}

const createCallData = (
  timeSeries: string | null,
): Pick<ExternalServices, 'calls' | 'qualityTotals' | 'callActivity' | 'alerts'> => {
  if (timeSeries === null) return {}
  const influx = createInfluxDb(timeSeries)
  return {
    calls: createInfluxCalls(influx),
    qualityTotals: createInfluxQuality(influx),
    callActivity: createInfluxCallActivity(influx),
    alerts: createInfluxAlerts(influx),
  }
}

export const connectExternalServices = async (
  {
    redis: address,
    featureServers,
    timeSeries,
    clickHouse,
    callDataDays,
    otlpIntake,
    jaeger,
    homer,
    awsRegion,
    smtp,
    publicUrl,
    billing,
    outgoing: network,
  }: Pick<
    Configuration,
    | 'redis'
    | 'featureServers'
    | 'timeSeries'
    | 'clickHouse'
    | 'callDataDays'
    | 'otlpIntake'
    | 'jaeger'
    | 'homer'
    | 'awsRegion'
    | 'smtp'
    | 'publicUrl'
    | 'billing'
    | 'outgoing'
  >,
  log: FastifyBaseLogger,
): Promise<ExternalServices> => {
  const mail = smtp
    ? (await import('../adapters/mail/smtp.ts')).createSmtpMail(smtp, publicUrl)
    : createOutbox(log, publicUrl)
  const objectStorage = createObjectStorage(network)
  const clickHouseData = await createClickHouseData({ clickHouse, callDataDays, otlpIntake })
  const independentServices = {
    mail,
    objectStorage,
    ...createCallData(timeSeries),
    ...clickHouseData.data,
    ...(jaeger === null ? {} : { traces: createJaegerTraces(jaeger) }),
    ...(awsRegion === null ? {} : { logs: createCloudWatchLogs(awsRegion) }),
    ...(homer === null ? {} : { captures: createHomerCaptures(homer) }),
    ...(billing === null ? {} : { billing: createStripeBilling(billing) }),
  }
  if (address === null) return { ...independentServices, close: () => clickHouseData.close() }
  const redis = await connectRedis(address, log)
  const stopPurging = purgeRegularly(redis, log)
  return {
    sessions: createRedisSessions(redis),
    counters: createRedisCounters(redis),
    registrations: createRedisRegistrations(redis),
    rates: createRedisRates(redis),
    ttsCache: createRedisTtsCache(redis),
    liveCalls: createRedisLiveCalls(redis, featureServers.cluster),
    health: createRedisPlatformHealth(redis, featureServers.cluster),
    ...independentServices,
    close: async () => {
      stopPurging()
      await Promise.all([redis.close(), clickHouseData.close()])
    },
  }
}
