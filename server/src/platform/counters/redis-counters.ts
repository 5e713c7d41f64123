import type { RedisConnection } from '../redis.ts'
import type { Counters } from './counters.ts'

/** KEYS: the counter; ARGV: seconds. Answers the new count. */
const increment = `
local count = redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], ARGV[1])
return count`

/** Counters as keys of our own, `patchbay:{counter}`: the platform counts failed sign-ins by user, we by name. */
export const createRedisCounters = ({ run }: RedisConnection): Counters => {
  const keyOf = (counter: string): string => `patchbay:${counter}`
  return {
    read: (counter) => run(async (redis) => Number((await redis.get(keyOf(counter))) ?? 0)),
    increment: (counter, seconds) =>
      run(async (redis) => Number(await redis.eval(increment, 1, keyOf(counter), seconds))),
    clear: (counter) =>
      run(async (redis) => {
        await redis.del(keyOf(counter))
      }),
  }
}
