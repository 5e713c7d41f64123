import type { Redis } from 'ioredis'
import { chunk } from '../../lib/chunk.ts'
import type { RedisConnection } from '../redis.ts'
import type { PlatformHealth, RegisteredServers } from './platform-health.ts'

/** Maximum number of servers of a kind that are named. */
const maxNamed = 200

/** Number of keys per command, which keeps Redis busy for less than a millisecond. */
const keysPerCommand = 1_000

const readServers = async (redis: Redis, key: string): Promise<RegisteredServers> => {
  const [count, members] = await Promise.all([redis.scard(key), redis.srandmember(key, maxNamed)])
  return { count, members: members.sort() }
}

const parseVersion = (information: string): string | null => /^redis_version:(\S+)/m.exec(information)?.[1] ?? null

const toCount = (text: string | null): number => Math.max(0, Math.trunc(Number(text)) || 0)

/** Runs a command for chunks of keys and returns the replies in the order of the keys. */
const readInChunks = async <Reply>(
  keys: readonly string[],
  read: (keys: string[]) => Promise<Reply[]>,
): Promise<Reply[]> => {
  const replies: Reply[] = []
  for (const some of chunk(keys, keysPerCommand)) replies.push(...(await read(some)))
  return replies
}

const blacklistKey = (sip_gateway_sid: string): string => `blacklist-sip-gateway:${sip_gateway_sid}`

/**
 * Reads the state that jambonz stores in Redis.
 * @param cluster jambonz cluster name, the prefix of the sets of servers
 */
export const createRedisPlatformHealth = ({ run }: RedisConnection, cluster: string): PlatformHealth => ({
  ping: () =>
    run(async (redis) => {
      await redis.ping()
      return parseVersion(await redis.info('server').catch(() => ''))
    }),

  callServers: () =>
    run(async (redis) => {
      const [sbcs, featureServers, drainedFeatureServers, rtpEngines] = await Promise.all([
        readServers(redis, `${cluster}:active-sip`),
        readServers(redis, `${cluster}:active-fs`),
        readServers(redis, `${cluster}:drained-fs`),
        readServers(redis, `${cluster}:active-rtp`),
      ])
      return { sbcs, featureServers, drainedFeatureServers, rtpEngines }
    }),

  countCalls: (account_sids) =>
    run(async (redis) => {
      const sum = async (prefix: string) => {
        const keys = account_sids.map((sid) => `${prefix}:account:${sid}`)
        const counts = await readInChunks(keys, (some) => redis.mget(some))
        return counts.reduce((total, count) => total + toCount(count), 0)
      }
      return { inbound: await sum('incalls'), outbound: await sum('outcalls') }
    }),

  failingGateways: (sip_gateway_sids) =>
    run(async (redis) => {
      const marks = await readInChunks(sip_gateway_sids.map(blacklistKey), (some) => redis.mget(some))
      const marked = sip_gateway_sids.filter((_sid, index) => marks[index] !== null)
      const remaining = new Map<string, number>()
      for (const some of chunk(marked, keysPerCommand)) {
        const replies = await Promise.all(some.map((sid) => redis.pttl(blacklistKey(sid))))
        for (const [index, sid] of some.entries()) {
          const milliseconds = replies[index] ?? -2
          // -2: the mark has expired since. -1: it never expires.
          if (milliseconds !== -2) remaining.set(sid, milliseconds)
        }
      }
      return remaining
    }),
})
