import { ApiError } from '@patchbay/contract/errors'
import type { FastifyBaseLogger } from 'fastify'
import type { Redis, RedisOptions } from 'ioredis'
import type { RedisAddress } from '../config/configuration.ts'
import { watchKeys } from './redis-key-invalidation.ts'

/** The one connection to the platform's Redis (api/4-calls-and-hosted.md §4: database 0, no key prefix). */
export interface RedisConnection {
  /**
   * Does some work on the connection. Whatever goes wrong with Redis is refused with 503 at once or after
   * `commandMilliseconds`: nothing waits in a queue for it to come back, and nothing is let through.
   */
  run<T>(work: (redis: Redis) => Promise<T>): Promise<T>
  /** Tells soon which keys of that prefix others have changed; see watchKeys for what it may miss. */
  watch(prefix: string, changed: (key: string) => void): void
  close(): Promise<void>
}

/** A reply that takes longer is given up. Our longest command is a batch of a scan: a few milliseconds. */
const commandMilliseconds = 2_000
/** A connection that says nothing for so long while it owes an answer is made anew. */
const silenceMilliseconds = 5_000
const connectMilliseconds = 5_000
/** How long the start waits for the first connection; it goes on without. */
const startMilliseconds = 3_000
const longestPauseMilliseconds = 1_000

const optionsOf = ({ at, username, password, tls }: RedisAddress): RedisOptions => ({
  ...('sentinels' in at
    ? {
        sentinels: at.sentinels,
        name: at.name,
        ...(at.sentinelPassword ? { sentinelPassword: at.sentinelPassword } : {}),
      }
    : at),
  ...(username === undefined ? {} : { username }),
  ...(password === undefined ? {} : { password }),
  // Whoever asks for TLS must never send a password in the clear, to whichever server.
  ...(tls === undefined ? {} : { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
  connectTimeout: connectMilliseconds,
  commandTimeout: commandMilliseconds,
  socketTimeout: silenceMilliseconds,
  // Neither waits for a connection nor is sent a second time on the next one: it is the caller who may try again.
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  retryStrategy: (times) => Math.min(times * 50, longestPauseMilliseconds),
  // After a failover the old master is a replica: the next connection asks the Sentinels again.
  reconnectOnError: (error) => error.message.startsWith('READONLY'),
  // Redis 5 and many that speak its protocol know no other.
  protocol: 2,
  disableClientInfo: true,
  connectionName: 'patchbay',
})

/** One line when it goes and one when it comes back, not one an attempt. */
const logChanges = (redis: Redis, log: FastifyBaseLogger): void => {
  let lost = false
  redis.on('error', (error) => {
    if (!lost) log.warn({ err: error }, 'Redis cannot be reached; requests that need it are refused')
    lost = true
  })
  redis.on('close', () => {
    if (!lost) log.warn('Redis closed the connection; requests that need it are refused')
    lost = true
  })
  redis.on('ready', () => {
    if (lost) log.info('Redis is reached again')
    lost = false
  })
}

const firstReady = async (redis: Redis): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  await new Promise<void>((resolve) => {
    redis.once('ready', resolve)
    timer = setTimeout(resolve, startMilliseconds)
  })
  clearTimeout(timer)
}

const unavailable = (cause: unknown): ApiError => {
  const refused = new ApiError('unavailable')
  refused.cause = cause
  return refused
}

/** Loads the client and connects; where Redis is down, it goes on trying for as long as the process runs. */
export const connectRedis = async (address: RedisAddress, log: FastifyBaseLogger): Promise<RedisConnection> => {
  const { Redis: Client } = await import('ioredis')
  const redis = new Client(optionsOf(address))
  logChanges(redis, log)
  await firstReady(redis)
  const watches: (() => void)[] = []
  return {
    async run(work) {
      try {
        return await work(redis)
      } catch (error) {
        throw error instanceof ApiError ? error : unavailable(error)
      }
    },
    watch(prefix, changed) {
      watches.push(watchKeys(redis, prefix, changed, log))
    },
    async close() {
      for (const stop of watches) stop()
      redis.removeAllListeners()
      // Until the end nothing that fails on the way down is worth a word.
      redis.on('error', () => {})
      await redis.quit().catch(() => redis.disconnect())
    },
  }
}
