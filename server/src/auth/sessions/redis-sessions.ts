import { createHash } from 'node:crypto'
import type { RedisConnection } from '../../adapters/redis.ts'
import type { SessionsElsewhere } from './sessions.ts'

/**
 * Sessions shared with the API server of jambonz. It stores one key per user, `jwt:{md5 of user_sid}:version:v2` = the
 * last token, and only checks whether the key exists. Patchbay ends individual tokens, so it also stores which tokens
 * are valid. Each user has two keys:
 *
 *   key      the key of jambonz. While it does not exist, no token is valid on either server
 *   alive    `patchbay:sessions:{md5}`, sorted set: SHA-1 of each token valid in Patchbay -> epoch ms of its expiry
 *
 * A token is valid if the key exists and the token is in `alive` or is the value of the key. In the second case jambonz
 * issued it. Patchbay adds that token to `alive` when it first sees it, so that a later sign-in on either server does
 * not end it.
 *
 * Signing out of Patchbay deletes both keys. Signing out of jambonz deletes only its own key, and the next check of any
 * of the user's tokens in Patchbay ends all of them. Because a sign-in on jambonz could restore the key before that
 * check, Patchbay watches these keys and checks them immediately after a change. It misses a sign-out and a sign-in on
 * jambonz within a few milliseconds, or while no Patchbay process is connected. Then Patchbay's tokens remain valid, like
 * those of jambonz.
 *
 * A password change keeps the key, with the token of the session that made the change as its value, so that this session
 * continues on jambonz too. jambonz cannot distinguish it from the user's other sessions, which expire there by time.
 *
 * Each operation is one script, so that operations are atomic. Redis provides the time. Durations are in milliseconds.
 */

const begin = `
local key, alive = KEYS[1], KEYS[2]
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local value = redis.call('GET', key)
-- Value of the key after its newest token was revoked while other tokens are still valid.
local ended = 'ended'
-- The platform deletes the key when the user signs out.
if not value then redis.call('DEL', alive) end

-- A key without an expiry expires within a day. Each token has its own expiry.
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
-- Registers a token that the platform has stored. It is valid as long as the key. Known tokens are unchanged.
local function adopt()
  local hash = redis.sha1hex(value)
  if value == ended or redis.call('ZSCORE', alive, hash) then return end
  admit(hash, life())
end
local function living(token)
  if value == token then adopt() end
  return value and left(redis.sha1hex(token)) > 0
end
-- The key expires with the last of its tokens.
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

/** ARGV: token, its lifetime in milliseconds. */
const start = `${begin}
start(ARGV[1], tonumber(ARGV[2]))
return 1`

/** ARGV: the old token, the new one, its lifetime in milliseconds. */
const renew = `${begin}
if not living(ARGV[1]) then return 0 end
start(ARGV[2], tonumber(ARGV[3]))
redis.call('ZREM', alive, redis.sha1hex(ARGV[1]))
return 1`

/** ARGV: token. */
const isAlive = `${begin}
return living(ARGV[1]) and 1 or 0`

/** Checks a user's keys, which ends the sessions if the key of jambonz is gone. */
const look = `${begin}
return 1`

/** ARGV: the token that remains valid, or '' for none. */
const endAll = `${begin}
local token = ARGV[1]
local stays = token ~= '' and living(token)
local milliseconds = left(redis.sha1hex(token))
redis.call('DEL', key, alive)
value = false
if stays then start(token, milliseconds) end
return 1`

const prefix = 'jwt:'

/** @param user MD5 of the user_sid, in hexadecimal */
const getKeys = (user: string): [string, string] => [`${prefix}${user}:version:v2`, `patchbay:sessions:${user}`]

const hashUserSid = (user_sid: string): string => createHash('md5').update(user_sid).digest('hex')

export const createRedisSessions = (
  { run, watch }: RedisConnection,
  now: () => number = Date.now,
): SessionsElsewhere => {
  const runScript = (script: string, user_sid: string, ...args: (string | number)[]): Promise<boolean> =>
    run(async (redis) => (await redis.eval(script, 2, ...getKeys(hashUserSid(user_sid)), ...args)) === 1)
  const toLifetimeMs = (expiresAt: number): number => Math.max(expiresAt - now(), 1)
  watch(prefix, (key) => {
    const [, user] = /^jwt:([0-9a-f]{32}):version:v2$/.exec(key) ?? []
    // If Redis is unavailable, the next request checks the keys again.
    if (user !== undefined) run((redis) => redis.eval(look, 2, ...getKeys(user))).catch(() => {})
  })
  return {
    async start(token, user_sid, expiresAt) {
      await runScript(start, user_sid, token, toLifetimeMs(expiresAt))
    },
    renew: (old, token, user_sid, expiresAt) => runScript(renew, user_sid, old, token, toLifetimeMs(expiresAt)),
    isAlive: (token, user_sid) => runScript(isAlive, user_sid, token),
    async endAll(user_sid, { except = '' }) {
      await runScript(endAll, user_sid, except)
    },
  }
}
