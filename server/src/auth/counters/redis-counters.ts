import type { RedisConnection } from '../../adapters/redis.ts'
import type { Counters } from './counters.ts'

/** KEYS: the counter. ARGV: seconds. Returns the new count. */
const increment = `
local count = redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], ARGV[1])
return count`

/** KEYS: the counter. Its time to live does not change. */
const decrement = `
if tonumber(redis.call('GET', KEYS[1]) or 0) > 0 then redis.call('DECR', KEYS[1]) end
return 1`

/** Counters as separate keys, `patchbay:{counter}`, because jambonz counts failed sign-ins differently. */
export const createRedisCounters = ({ run }: RedisConnection): Counters => {
  const toKey = (counter: string): string => `patchbay:${counter}`
  return {
    read: (counter) => run(async (redis) => Number((await redis.get(toKey(counter))) ?? 0)),
    increment: (counter, seconds) =>
      run(async (redis) => Number(await redis.eval(increment, 1, toKey(counter), seconds))),
    decrement: (counter) =>
      run(async (redis) => {
        await redis.eval(decrement, 1, toKey(counter))
      }),
    clear: (counter) =>
      run(async (redis) => {
        await redis.del(toKey(counter))
      }),
  }
}
