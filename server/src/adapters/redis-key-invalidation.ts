import type { FastifyBaseLogger } from 'fastify'
import type { Redis } from 'ioredis'

/** Channel for key invalidation messages to clients that use RESP2. */
const channel = '__redis__:invalidate'

/**
 * Calls `onChange` within milliseconds when another client changes a key that starts with `prefix`. Uses CLIENT
 * TRACKING of Redis 6, which needs no server configuration, over a second connection. Tracking is restored when either
 * connection is reestablished. Changes in between are missed. Returns a function that stops it.
 */
export const watchKeys = (
  redis: Redis,
  prefix: string,
  onChange: (key: string) => void,
  log: FastifyBaseLogger,
): (() => void) => {
  const listener = redis.duplicate({ autoResubscribe: false, connectionName: 'patchbay-watch' })
  /** Client ID of the listener's connection. Undefined while it is not connected. */
  let listenerId: number | undefined

  const track = async (): Promise<void> => {
    if (listenerId === undefined || redis.status !== 'ready') return
    await redis.call('CLIENT', 'TRACKING', 'OFF')
    await redis.call('CLIENT', 'TRACKING', 'ON', 'REDIRECT', listenerId, 'BCAST', 'PREFIX', prefix, 'NOLOOP')
  }
  const listen = async (): Promise<void> => {
    const id = await listener.client('ID')
    await listener.subscribe(channel)
    listenerId = id
    await track()
  }
  const logFailure = (work: Promise<void>): void => {
    work.catch((error: unknown) => log.info({ err: error, keys: `${prefix}*` }, 'Redis does not report changed keys'))
  }

  listener.on('ready', () => logFailure(listen()))
  listener.on('close', () => {
    listenerId = undefined
  })
  // The main connection logs that Redis is unavailable.
  listener.on('error', () => {})
  listener.on('message', (_channel, keys) => {
    for (const key of keys.split(',')) if (key.startsWith(prefix)) onChange(key)
  })
  const resumeTracking = () => logFailure(track())
  redis.on('ready', resumeTracking)
  return () => {
    redis.off('ready', resumeTracking)
    listener.disconnect()
  }
}
