import type { RedisConnection } from '../../adapters/redis.ts'
import type { Counters } from './counters.ts'

/** KEYS: the counter; ARGV: seconds. Answers the new count. */
const increment = `
local count = redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], ARGV[1])
return count`

/** KEYS: the counter. Its time to live stays. */
const decrement = `
if tonumber(redis.call('GET', KEYS[1]) or 0) > 0 then redis.call('DECR', KEYS[1]) end
return 1`

/** Counters as keys of our own, `patchbay:{counter}`: the platform counts failed sign-ins by another rule. */
export const createRedisCounters = ({ run }: RedisConnection): Counters => {
  const keyOf = (counter: string): string => `patchbay:${counter}`
  return {
    read: (counter) => run(async (redis) => Number((await redis.get(keyOf(counter))) ?? 0)),
    increment: (counter, seconds) =>
      run(async (redis) => Number(await redis.eval(increment, 1, keyOf(counter), seconds))),
    decrement: (counter) =>
      run(async (redis) => {
        await redis.eval(decrement, 1, keyOf(counter))
      }),
    clear: (counter) =>
      run(async (redis) => {
        await redis.del(keyOf(counter))
      }),
  }
}
