import { ApiError } from '@patchbay/contract/api/errors'
import type { FastifyBaseLogger } from 'fastify'
import type { Redis, RedisOptions } from 'ioredis'
import type { RedisAddress } from '../config/settings/redis-settings.ts'
import { watchKeys } from './redis-key-invalidation.ts'

/**
 * The connection to the Redis of jambonz: database 0, no key prefix
 * (docs/reference/platform-api/live-calls.md#redis-keys).
 */
export interface RedisConnection {
  /**
   * Runs commands on the connection. If Redis fails, throws `unavailable` (503) immediately or after
   * `commandTimeoutMs`. Commands are not queued until Redis is available again, and a failure never grants access.
   */
  run<T>(work: (redis: Redis) => Promise<T>): Promise<T>
  /** Reports keys with this prefix that other clients change. See watchKeys for the changes it may miss. */
  watch(prefix: string, onChange: (key: string) => void): void
  /** Closes the connection after the commands that have been sent. */
  close(): Promise<void>
}

/** Time limit of a command. The slowest command is one batch of a scan, which takes a few milliseconds. */
const commandTimeoutMs = 2_000
/** A connection that is silent for this long while a reply is due is replaced. */
const socketTimeoutMs = 5_000
const connectTimeoutMs = 5_000
/** Time that startup waits for the first connection. Then it continues without Redis. */
const startTimeoutMs = 3_000
const maxRetryDelayMs = 1_000

const toRedisOptions = ({ at, username, password, tls }: RedisAddress): RedisOptions => ({
  ...('sentinels' in at
    ? {
        sentinels: at.sentinels,
        name: at.name,
        ...(at.sentinelPassword ? { sentinelPassword: at.sentinelPassword } : {}),
      }
    : at),
  ...(username === undefined ? {} : { username }),
  ...(password === undefined ? {} : { password }),
  // If TLS is configured, the password must never be sent unencrypted, including to Sentinels.
  ...(tls === undefined ? {} : { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
  connectTimeout: connectTimeoutMs,
  commandTimeout: commandTimeoutMs,
  socketTimeout: socketTimeoutMs,
  // Without a connection commands fail, and they are never repeated on the next connection. The caller decides whether
  // to retry.
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  retryStrategy: (times) => Math.min(times * 50, maxRetryDelayMs),
  // After a failover the former master is a replica. A new connection asks the Sentinels for the current master.
  reconnectOnError: (error) => error.message.startsWith('READONLY'),
  // Redis 5 and many compatible servers support only RESP2.
  protocol: 2,
  disableClientInfo: true,
  connectionName: 'patchbay',
})

/** Logs one line when Redis becomes unavailable and one when it is available again, instead of one per attempt. */
const logConnectionState = (redis: Redis, log: FastifyBaseLogger): void => {
  let lost = false
  redis.on('error', (error) => {
    if (!lost) log.warn({ err: error }, 'Redis cannot be reached; requests that need it are rejected')
    lost = true
  })
  redis.on('close', () => {
    if (!lost) log.warn('Redis closed the connection; requests that need it are rejected')
    lost = true
  })
  redis.on('ready', () => {
    if (lost) log.info('Redis is reachable again')
    lost = false
  })
}

const waitUntilReady = async (redis: Redis): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  await new Promise<void>((resolve) => {
    redis.once('ready', resolve)
    timer = setTimeout(resolve, startTimeoutMs)
  })
  clearTimeout(timer)
}

const unavailable = (cause: unknown): ApiError => {
  const error = new ApiError('unavailable')
  error.cause = cause
  return error
}

/** Connects once, signs in, and sends a PING. Rejects with the first error, which can be that of a Sentinel. */
export const pingRedis = async (address: RedisAddress): Promise<void> => {
  const { Redis: Client } = await import('ioredis')
  const once = { lazyConnect: true, retryStrategy: () => null, sentinelRetryStrategy: () => null }
  const redis = new Client({ ...toRedisOptions(address), ...once })
  // The event has the reason. The promise only says that the connection was closed.
  const failure = new Promise<never>((_resolve, reject) => {
    redis.on('error', reject)
  })
  try {
    await Promise.race([redis.connect().then(() => redis.ping()), failure])
  } finally {
    redis.disconnect()
  }
}

/** Loads the client and connects. If Redis is unavailable, the client keeps trying as long as the process runs. */
export const connectRedis = async (address: RedisAddress, log: FastifyBaseLogger): Promise<RedisConnection> => {
  const { Redis: Client } = await import('ioredis')
  const redis = new Client(toRedisOptions(address))
  logConnectionState(redis, log)
  await waitUntilReady(redis)
  const watches: (() => void)[] = []
  return {
    async run(work) {
      try {
        return await work(redis)
      } catch (error) {
        throw error instanceof ApiError ? error : unavailable(error)
      }
    },
    watch(prefix, onChange) {
      watches.push(watchKeys(redis, prefix, onChange, log))
    },
    async close() {
      for (const stop of watches) stop()
      redis.removeAllListeners()
      // Errors during shutdown are not worth logging.
      redis.on('error', () => {})
      await redis.quit().catch(() => redis.disconnect())
    },
  }
}
