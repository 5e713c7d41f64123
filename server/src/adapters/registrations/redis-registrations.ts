import { z } from 'zod'
import { chunk } from '../../lib/chunk.ts'
import type { RedisConnection } from '../redis.ts'
import { scanBounds, scanThrough } from '../redis-scan.ts'
import type { Registration, Registrations } from './registrations.ts'

/**
 * The registrar's sorted set of `user:{name}@{realm}`, scored by expiry in epoch milliseconds
 * (docs/reference/platform-api/live-calls.md#registrations).
 */
const activeUsersKey = 'active-user'

const registrationSchema = z.looseObject({
  contact: z.string().nullable().catch(null),
  protocol: z.string().nullable().catch(null),
  expiryTime: z.number(),
})

/** Returns undefined if the record is missing or was not written by a jambonz registrar. */
const parseRegistration = (text: string | null): Registration | undefined => {
  if (text === null) return undefined
  try {
    return registrationSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

const escapeGlob = (text: string): string => text.replaceAll(/[\\*?[\]]/g, String.raw`\$&`)

/**
 * Creates the registrations of a jambonz installation, which its SBCs store in Redis.
 * @param now returns milliseconds since the Unix epoch
 */
export const createRedisRegistrations = ({ run }: RedisConnection, now: () => number = Date.now): Registrations => ({
  listNames: (realm) =>
    run(async (redis) => {
      await redis.zremrangebyscore(activeUsersKey, 0, now())
      const names = new Set<string>()
      const suffix = `@${realm}`
      const pattern = `user:*${escapeGlob(suffix)}`
      await scanThrough(
        scanBounds,
        (cursor) => redis.zscan(activeUsersKey, cursor, 'MATCH', pattern, 'COUNT', scanBounds.batch),
        (batch) => {
          // Members and scores alternate. The pattern ends in "@realm", so the name before it is complete.
          for (let index = 0; index < batch.length; index += 2)
            names.add(batch[index]?.slice('user:'.length, -suffix.length) ?? '')
        },
      )
      return [...names].sort()
    }),

  find: (realm, names) =>
    run(async (redis) => {
      const records: (string | null)[] = []
      for (const namesInBatch of chunk(names, scanBounds.batch))
        records.push(...(await redis.mget(namesInBatch.map((name) => `user:${name}@${realm}`))))
      return records.map(parseRegistration)
    }),
})
