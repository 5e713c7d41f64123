import type { FastifyBaseLogger } from 'fastify'
import type { Configuration } from '../configuration.ts'
import type { Captures } from './captures/captures.ts'
import { createHomerCaptures } from './captures/homer-captures.ts'
import type { Counters } from './counters/counters.ts'
import { createRedisCounters } from './counters/redis-counters.ts'
import type { Rates } from './rates/rates.ts'
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
  traces?: Traces
  captures?: Captures
  mail: Mail
  objectStorage: ObjectStorage
  close(): Promise<void>
}

export const connectPlatform = async (
  {
    redis: address,
    smtp,
    outgoing: network,
    jaeger,
    homer,
  }: Pick<Configuration, 'redis' | 'smtp' | 'outgoing' | 'jaeger' | 'homer'>,
  log: FastifyBaseLogger,
): Promise<Platform> => {
  const mail = smtp ? (await import('./mail/smtp.ts')).createSmtpMail(smtp) : createOutbox(log)
  const objectStorage = createObjectStorage(network)
  const always = {
    mail,
    objectStorage,
    ...(jaeger === null ? {} : { traces: createJaegerTraces(jaeger) }),
    ...(homer === null ? {} : { captures: createHomerCaptures(homer) }),
  }
  if (address === null) return { ...always, close: () => Promise.resolve() }
  const redis = await connectRedis(address, log)
  return {
    sessions: createRedisSessions(redis),
    counters: createRedisCounters(redis),
    registrations: createRedisRegistrations(redis),
    rates: createRedisRates(redis),
    ttsCache: createRedisTtsCache(redis),
    ...always,
    close: () => redis.close(),
  }
}
