import type { RedisConnection } from '../../adapters/redis.ts'
import type { Rates } from './rate-limit-store.ts'

/** KEYS: the window. ARGV: its length in milliseconds. Returns the count and the milliseconds left. */
const hit = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return { count, redis.call('PTTL', KEYS[1]) }`

/** Rates as separate keys, `patchbay:rate:{caller}`, counted across all processes. */
export const createRedisRates = ({ run }: RedisConnection): Rates => ({
  async hit(caller, windowMs) {
    const reply = await run((redis) => redis.eval(hit, 1, `patchbay:rate:${caller}`, windowMs))
    const [count, milliseconds] = Array.isArray(reply) ? reply : []
    return { count: Number(count), milliseconds: Number(milliseconds) }
  },
})
