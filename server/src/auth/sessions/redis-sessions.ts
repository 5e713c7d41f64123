import { createHash } from 'node:crypto'
import type { RedisConnection } from '../../adapters/redis.ts'
import type { SessionsElsewhere } from './sessions.ts'

/**
 * Sessions shared with the platform's own API server, which knows one key a user,
 * `jwt:{md5 of user_sid}:version:v2` = the last token, and looks only whether it exists. We end single tokens, so
 * beside it stands which ones are alive. Two keys of a user:
 *
 *   key      the platform's own. While it is gone no token is alive, there or here
 *   alive    `patchbay:sessions:{md5}`, sorted set: SHA-1 of each token that is alive here -> epoch ms of its end
 *
 * A token is alive when the key exists and the token is in `alive` or is the key's own value. In the second case the
 * platform issued it: it joins `alive` on sight, so that a later sign-in on either side does not end it.
 *
 * Signing out here removes both keys. Signing out there removes the platform's. That ends all of ours at the next
 * look at any of them; and since a sign-in there would bring the key back before that look, Redis tells us of changes
 * to these keys, and we look at once. What is missed are a sign-out and a sign-in there within a few milliseconds, or
 * while no process of ours is connected: then our tokens live on, as the platform's own do.
 *
 * A password change leaves the key, with the token of the session that made the change as its value: on the platform,
 * too, that session goes on. The platform cannot tell it from the user's others, which there run out by themselves.
 *
 * Each step is one script, so that no two of them mix. Redis tells the time; lengths of time are passed in ms.
 */

const begin = `
local key, alive = KEYS[1], KEYS[2]
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local value = redis.call('GET', key)
-- what stands in the key where its last token was ended and others live on
local ended = 'ended'
-- a sign-out on the platform
if not value then redis.call('DEL', alive) end

-- a key that somebody set without an end has one in a day: tokens tell their own
local function life()
  local milliseconds = redis.call('PTTL', key)
  return milliseconds < 0 and 86400000 or math.max(milliseconds, 1)
end
local function left(hash)
  return math.max(tonumber(redis.call('ZSCORE', alive, hash) or 0) - now, 0)
end
local function admit(hash, milliseconds)
  redis.call('ZREMRANGEBYSCORE', alive, 0, now)
  if milliseconds > left(hash) then redis.call('ZADD', alive, now + milliseconds, hash) end
  local last = redis.call('ZREVRANGE', alive, 0, 0, 'WITHSCORES')
  if last[2] then redis.call('PEXPIREAT', alive, last[2]) end
end
-- the platform's own token, which lives as long as the key; what is known here already is ours, or has been adopted
local function adopt()
  local hash = redis.sha1hex(value)
  if value == ended or redis.call('ZSCORE', alive, hash) then return end
  admit(hash, life())
end
local function living(token)
  if value == token then adopt() end
  return value and left(redis.sha1hex(token)) > 0
end
-- the key lasts as long as the longest of its tokens
local function start(token, milliseconds)
  local longest = milliseconds
  if value then
    adopt()
    longest = math.max(milliseconds, life())
  end
  redis.call('SET', key, token, 'PX', longest)
  admit(redis.sha1hex(token), milliseconds)
end
`

/** ARGV: token, the milliseconds it lives. */
const start = `${begin}
start(ARGV[1], tonumber(ARGV[2]))
return 1`

/** ARGV: the old token, the new one, the milliseconds it lives. */
const renew = `${begin}
if not living(ARGV[1]) then return 0 end
start(ARGV[2], tonumber(ARGV[3]))
redis.call('ZREM', alive, redis.sha1hex(ARGV[1]))
return 1`

/** ARGV: token. */
const isAlive = `${begin}
return living(ARGV[1]) and 1 or 0`

/** A look at a user's keys, with what that brings. */
const look = `${begin}
return 1`

/** ARGV: the token that stays; none: '' */
const endAll = `${begin}
local token = ARGV[1]
local stays = token ~= '' and living(token)
local milliseconds = left(redis.sha1hex(token))
redis.call('DEL', key, alive)
value = false
if stays then start(token, milliseconds) end
return 1`

const prefix = 'jwt:'

/** user: MD5 of the user_sid, in hex */
const keysOf = (user: string): [string, string] => [`${prefix}${user}:version:v2`, `patchbay:sessions:${user}`]

const userOf = (user_sid: string): string => createHash('md5').update(user_sid).digest('hex')

export const createRedisSessions = (
  { run, watch }: RedisConnection,
  now: () => number = Date.now,
): SessionsElsewhere => {
  const step = (script: string, user_sid: string, ...args: (string | number)[]): Promise<boolean> =>
    run(async (redis) => (await redis.eval(script, 2, ...keysOf(userOf(user_sid)), ...args)) === 1)
  const lifeUntil = (expiresAt: number): number => Math.max(expiresAt - now(), 1)
  watch(prefix, (key) => {
    const [, user] = /^jwt:([0-9a-f]{32}):version:v2$/.exec(key) ?? []
    // Where Redis went away in between, the next request looks again.
    if (user !== undefined) run((redis) => redis.eval(look, 2, ...keysOf(user))).catch(() => {})
  })
  return {
    async start(token, user_sid, expiresAt) {
      await step(start, user_sid, token, lifeUntil(expiresAt))
    },
    renew: (old, token, user_sid, expiresAt) => step(renew, user_sid, old, token, lifeUntil(expiresAt)),
    isAlive: (token, user_sid) => step(isAlive, user_sid, token),
    async endAll(user_sid, { except = '' }) {
      await step(endAll, user_sid, except)
    },
  }
}
