import type { FastifyBaseLogger } from 'fastify'
import type { Redis } from 'ioredis'

/** The channel on which Redis tells of changed keys to clients that speak its older protocol. */
const channel = '__redis__:invalidate'

/**
 * Tells which keys that begin with `prefix` others have changed, within milliseconds (CLIENT TRACKING of Redis 6, which
 * needs no setting on the server's side). It goes by a second connection and is made anew when either of the two is.
 * Of what changes while one is away nothing is told. Answers how to end it.
 */
export const watchKeys = (
  redis: Redis,
  prefix: string,
  changed: (key: string) => void,
  log: FastifyBaseLogger,
): (() => void) => {
  const listener = redis.duplicate({ autoResubscribe: false, connectionName: 'patchbay-watch' })
  /** Redis's number of the listener's connection; undefined while it does not listen */
  let listening: number | undefined

  const track = async (): Promise<void> => {
    if (listening === undefined || redis.status !== 'ready') return
    await redis.call('CLIENT', 'TRACKING', 'OFF')
    await redis.call('CLIENT', 'TRACKING', 'ON', 'REDIRECT', listening, 'BCAST', 'PREFIX', prefix, 'NOLOOP')
  }
  const listen = async (): Promise<void> => {
    const id = await listener.client('ID')
    await listener.subscribe(channel)
    listening = id
    await track()
  }
  const orSay = (work: Promise<void>): void => {
    work.catch((error: unknown) => log.info({ err: error }, `Redis does not tell of changes to ${prefix}*`))
  }

  listener.on('ready', () => orSay(listen()))
  listener.on('close', () => {
    listening = undefined
  })
  // The first connection says what there is to say of a Redis that is away.
  listener.on('error', () => {})
  listener.on('message', (_channel, keys) => {
    for (const key of keys.split(',')) if (key.startsWith(prefix)) changed(key)
  })
  const trackAgain = () => orSay(track())
  redis.on('ready', trackAgain)
  return () => {
    redis.off('ready', trackAgain)
    listener.disconnect()
  }
}
