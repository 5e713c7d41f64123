import type { FastifyBaseLogger } from 'fastify'
import type { Configuration } from '../configuration.ts'
import type { Alerts } from './alerts/alerts.ts'
import { createInfluxAlerts } from './alerts/influx-alerts.ts'
import type { Billing } from './billing/billing.ts'
import type { Calls } from './calls/calls.ts'
import { createStripeBilling } from './billing/stripe-billing.ts'
import { createInfluxCalls } from './calls/influx-calls.ts'
import { createInfluxQuality } from './calls/influx-quality.ts'
import type { Quality } from './calls/quality.ts'
import type { Captures } from './captures/captures.ts'
import { createHomerCaptures } from './captures/homer-captures.ts'
import type { Counters } from './counters/counters.ts'
import { createRedisCounters } from './counters/redis-counters.ts'
import { createInfluxDb } from './influxdb.ts'
import type { LiveCalls } from './live-calls/live-calls.ts'
import { purgeRegularly } from './live-calls/purge.ts'
import { createRedisLiveCalls } from './live-calls/redis-live-calls.ts'
import type { Rates } from './rates/rates.ts'
import { createCloudWatchLogs } from './logs/cloudwatch-logs.ts'
import type { Logs } from './logs/logs.ts'
import { createOutbox } from './mail/outbox.ts'
import type { Mail } from './mail/mail.ts'
import { createObjectStorage, type ObjectStorage } from './object-storage/object-storage.ts'
import { createRedisRates } from './rates/redis-rates.ts'
import { connectRedis } from './redis.ts'
import { createRedisRegistrations } from './registrations/redis-registrations.ts'
import type { Registrations } from './registrations/registrations.ts'
import { createRedisSessions } from './sessions/redis-sessions.ts'
import type { SessionsElsewhere } from './sessions/sessions.ts'
import { createJaegerTraces } from './traces/jaeger-traces.ts'
import type { Traces } from './traces/traces.ts'
import { createRedisTtsCache } from './tts-cache/redis-tts-cache.ts'
import type { TtsCache } from './tts-cache/tts-cache.ts'

/** What lives outside the database where it is configured; what is not here falls back to the database or memory. */
export interface Platform {
  sessions?: SessionsElsewhere
  counters?: Counters
  registrations?: Registrations
  rates?: Rates
  ttsCache?: TtsCache
  liveCalls?: LiveCalls
  calls?: Calls
  quality?: Quality
  alerts?: Alerts
  traces?: Traces
  logs?: Logs
  captures?: Captures
  billing?: Billing
  mail: Mail
  objectStorage: ObjectStorage
  close(): Promise<void>
}

const callDataOf = (timeSeries: string | null): Pick<Platform, 'calls' | 'quality' | 'alerts'> => {
  if (timeSeries === null) return {}
  const influx = createInfluxDb(timeSeries)
  return {
    calls: createInfluxCalls(influx),
    quality: createInfluxQuality(influx),
    alerts: createInfluxAlerts(influx),
  }
}

export const connectPlatform = async (
  {
    redis: address,
    featureServers,
    timeSeries,
    jaeger,
    homer,
    awsRegion,
    smtp,
    billing,
    outgoing: network,
  }: Pick<
    Configuration,
    'redis' | 'featureServers' | 'timeSeries' | 'jaeger' | 'homer' | 'awsRegion' | 'smtp' | 'billing' | 'outgoing'
  >,
  log: FastifyBaseLogger,
): Promise<Platform> => {
  const mail = smtp ? (await import('./mail/smtp.ts')).createSmtpMail(smtp) : createOutbox(log)
  const objectStorage = createObjectStorage(network)
  const always = {
    mail,
    objectStorage,
    ...callDataOf(timeSeries),
    ...(jaeger === null ? {} : { traces: createJaegerTraces(jaeger) }),
    ...(awsRegion === null ? {} : { logs: createCloudWatchLogs(awsRegion) }),
    ...(homer === null ? {} : { captures: createHomerCaptures(homer) }),
    ...(billing === null ? {} : { billing: createStripeBilling(billing) }),
  }
  if (address === null) return { ...always, close: () => Promise.resolve() }
  const redis = await connectRedis(address, log)
  const endPurges = purgeRegularly(redis, log)
  return {
    sessions: createRedisSessions(redis),
    counters: createRedisCounters(redis),
    registrations: createRedisRegistrations(redis),
    rates: createRedisRates(redis),
    ttsCache: createRedisTtsCache(redis),
    liveCalls: createRedisLiveCalls(redis, featureServers.cluster),
    ...always,
    close: () => {
      endPurges()
      return redis.close()
    },
  }
}
