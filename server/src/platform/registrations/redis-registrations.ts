import { refuse } from '@patchbay/contract/errors'
import { z } from 'zod'
import type { RedisConnection } from '../redis.ts'
import type { Registration, Registrations } from './registrations.ts'

/** The registrar's sorted set of `user:{name}@{realm}`, scored by epoch ms of expiry (api/4-calls-and-hosted.md §3.4). */
const active = 'active-user'

/** Members looked at in one command: Redis is busy for about a millisecond, and others get their turn between. */
const batch = 1_000
/** Batches of one listing: a million registrations. Beyond it the answer is 503, never a part of the list. */
const mostBatches = 1_000

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

const chunksOf = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))

export const createRedisRegistrations = ({ run }: RedisConnection, now: () => number = Date.now): Registrations => ({
  namesOf: (realm) =>
    run(async (redis) => {
      await redis.zremrangebyscore(active, 0, now())
      const names = new Set<string>()
      const end = `@${realm}`
      let cursor = '0'
      for (let scanned = 0; scanned < mostBatches; scanned += 1) {
        const [next, found] = await redis.zscan(active, cursor, 'MATCH', `user:*${plain(end)}`, 'COUNT', batch)
        // Members and scores in turn. The pattern ends in "@realm", so nothing else of the realm can stand before it.
        for (let index = 0; index < found.length; index += 2)
          names.add(found[index]?.slice('user:'.length, -end.length) ?? '')
        if (next === '0') return [...names].sort()
        cursor = next
      }
      return refuse('timed_out')
    }),

  find: (realm, names) =>
    run(async (redis) => {
      const texts: (string | null)[] = []
      for (const some of chunksOf(names, batch))
        texts.push(...(await redis.mget(some.map((name) => `user:${name}@${realm}`))))
      return texts.map(registrationOf)
    }),
})
