import { createHash } from 'node:crypto'
import type { RedisConnection } from '../redis.ts'
import type { SessionsElsewhere } from './sessions.ts'

/**
 * Sessions shared with the platform's own API server, which knows one key a user,
 * `jwt:{md5 of user_sid}:version:v2` = the last token, and looks only whether it exists. We end single tokens, so
 * beside it stands which ones are alive. Three keys of a user:
 *
 *   key      the platform's own. While it is gone no token is alive there, and here at most the one of `kept`
 *   alive    `patchbay:sessions:{md5}`, sorted set: SHA-1 of each token that is alive here -> epoch ms of its end
 *   kept     `patchbay:kept:{md5}`: SHA-1 of the one token that outlived the others at a password change
 *
 * A token is alive when the key exists and the token is in `alive` or is the key's own value. In the second case the
 * platform issued it: it joins `alive` on sight, so that a later sign-in on either side does not end it.
 *
 * Signing out here removes all three keys. Signing out there removes the platform's. That ends all of ours at the next
 * look at any of them; and since a sign-in there would bring the key back before that look, Redis tells us of changes
 * to these keys, and we look at once. What is missed are a sign-out and a sign-in there within a few milliseconds, or
 * while no process of ours is connected: then our tokens live on, as the platform's own do.
 *
 * A password change removes the platform's key as well, since the platform would go on accepting every token of the
 * user: there all sessions end, as after a change of its own. Here the one that made the change goes on; once somebody
 * signs in again and the key is back, it is a session like any other.
 *
 * Each step is one script, so that no two of them mix. Redis tells the time; lengths of time are passed in ms.
 */

const begin = `
local key, alive, kept = KEYS[1], KEYS[2], KEYS[3]
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local value, survivor = redis.call('GET', key), redis.call('GET', kept)
-- what stands in the key where its last token was ended and others live on
local ended = 'ended'
-- a sign-out on the platform
if not value and not survivor then redis.call('DEL', alive) end
-- where the platform has a session again, a sign-out there counts again
if value and survivor then redis.call('DEL', kept) end

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
  local hash = redis.sha1hex(token)
  if not value then return survivor == hash and left(hash) > 0 end
  if value == token then adopt() end
  return left(hash) > 0
end
`

/** ARGV: token, the milliseconds it lives. The key lasts as long as the longest of its tokens. */
const start = `${begin}
local milliseconds = tonumber(ARGV[2])
local longest = milliseconds
if value then
  adopt()
  longest = math.max(milliseconds, life())
end
redis.call('DEL', kept)
redis.call('SET', key, ARGV[1], 'PX', longest)
admit(redis.sha1hex(ARGV[1]), milliseconds)
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
local hash = redis.sha1hex(token)
local stays = token ~= '' and living(token)
local milliseconds = left(hash)
redis.call('DEL', key, alive, kept)
if stays then
  admit(hash, milliseconds)
  redis.call('SET', kept, hash, 'PX', milliseconds)
end
return 1`

/** ARGV: token. The key stays for the others; where it held this token it must no longer vouch for it. */
const end = `${begin}
local hash = redis.sha1hex(ARGV[1])
redis.call('ZREM', alive, hash)
if survivor == hash then redis.call('DEL', kept) end
if value == ARGV[1] then
  redis.call('SET', key, ended, 'PX', life())
  value = ended
end
if value == ended and redis.call('EXISTS', alive) == 0 then redis.call('DEL', key) end
return 1`

const prefix = 'jwt:'

/** user: MD5 of the user_sid, in hex */
const keysOf = (user: string): [string, string, string] => [
  `${prefix}${user}:version:v2`,
  `patchbay:sessions:${user}`,
  `patchbay:kept:${user}`,
]

const userOf = (user_sid: string): string => createHash('md5').update(user_sid).digest('hex')

export const createRedisSessions = (
  { run, watch }: RedisConnection,
  now: () => number = Date.now,
): SessionsElsewhere => {
  const step = (script: string, user_sid: string, ...args: (string | number)[]): Promise<boolean> =>
    run(async (redis) => (await redis.eval(script, 3, ...keysOf(userOf(user_sid)), ...args)) === 1)
  watch(prefix, (key) => {
    const [, user] = /^jwt:([0-9a-f]{32}):version:v2$/.exec(key) ?? []
    // Where Redis went away in between, the next request looks again.
    if (user !== undefined) run((redis) => redis.eval(look, 3, ...keysOf(user))).catch(() => {})
  })
  return {
    async start(token, user_sid, expiresAt) {
      await step(start, user_sid, token, Math.max(expiresAt - now(), 1))
    },
    isAlive: (token, user_sid) => step(isAlive, user_sid, token),
    async endAll(user_sid, except = '') {
      await step(endAll, user_sid, except)
    },
    async end(token, user_sid) {
      await step(end, user_sid, token)
    },
  }
}
