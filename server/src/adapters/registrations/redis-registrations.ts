import { z } from 'zod'
import type { RedisConnection } from '../redis.ts'
import { chunk } from '../../lib/chunk.ts'
import { scanBounds, scanThrough } from '../redis-scan.ts'
import type { Registration, Registrations } from './registrations.ts'

/** The registrar's sorted set of `user:{name}@{realm}`, scored by epoch ms of expiry (api/4-calls-and-hosted.md §3.4). */
const active = 'active-user'

const stored = z.looseObject({
  contact: z.string().nullable().catch(null),
  protocol: z.string().nullable().catch(null),
  expiryTime: z.number(),
})

/** Undefined for what no registrar of the platform writes, as for what is not there. */
const registrationOf = (text: string | null): Registration | undefined => {
  if (text === null) return undefined
  try {
    return stored.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

const plain = (text: string): string => text.replaceAll(/[\\*?[\]]/g, String.raw`\$&`)

export const createRedisRegistrations = ({ run }: RedisConnection, now: () => number = Date.now): Registrations => ({
  namesOf: (realm) =>
    run(async (redis) => {
      await redis.zremrangebyscore(active, 0, now())
      const names = new Set<string>()
      const end = `@${realm}`
      const pattern = `user:*${plain(end)}`
      await scanThrough(
        scanBounds,
        (cursor) => redis.zscan(active, cursor, 'MATCH', pattern, 'COUNT', scanBounds.batch),
        (found) => {
          // Members and scores in turn. The pattern ends in "@realm", so nothing else of the realm can stand before it.
          for (let index = 0; index < found.length; index += 2)
            names.add(found[index]?.slice('user:'.length, -end.length) ?? '')
        },
      )
      return [...names].sort()
    }),

  find: (realm, names) =>
    run(async (redis) => {
      const texts: (string | null)[] = []
      for (const some of chunk(names, scanBounds.batch))
        texts.push(...(await redis.mget(some.map((name) => `user:${name}@${realm}`))))
      return texts.map(registrationOf)
    }),
})
