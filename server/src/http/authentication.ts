import type { Actor } from '@patchbay/contract/access'
import { maskToken } from '@patchbay/contract/shared/masking'
import { throwApiError } from '@patchbay/contract/errors'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../lib/caller.ts'
import type { Database } from '../database/engine.ts'
import { prepared } from '../database/prepared-query.ts'
import type { SessionsElsewhere } from '../auth/sessions/sessions.ts'
import { hashToken } from '../auth/sessions/sql-sessions.ts'
import { markApiKeyUsed } from '../auth/api-key-last-used.ts'
import {
  keysWithStatus,
  type OwnerRows,
  principalOfClaims,
  principalOfKey,
  principalOfUser,
  type UserStatusRow,
  usersWithStatus,
} from '../auth/principals.ts'
import { findUserByLink } from '../auth/reset-links.ts'
import type { Tokens, Verified } from '../auth/tokens.ts'

/** Who calls: from a session token of a user, an API key, or a token of the platform (api/1-identity.md §2). */
export interface Authenticate {
  (request: FastifyRequest): Promise<Authenticated>
}

export interface Authenticated {
  actor: Caller
  /** as it came, for the calls that end or renew it */
  token: string
}

type Identified = Actor & Pick<Caller, 'sid' | 'name' | 'reset_link'>

const textMember = (from: unknown, member: string): string | undefined => {
  if (typeof from !== 'object' || from === null || !Object.hasOwn(from, member)) return undefined
  const value: unknown = Reflect.get(from, member)
  return typeof value === 'string' ? value : undefined
}

const headerToken = ({ headers }: FastifyRequest): string | undefined => {
  if (headers.authorization === undefined) return undefined
  const [scheme, token, ...rest] = headers.authorization.trim().split(' ')
  if (token === undefined || rest.length > 0) return throwApiError('malformed_authorization')
  return scheme?.toLowerCase() === 'bearer' ? token : undefined
}

/** Header, body or query member `access_token`: exactly one of them. */
const tokenOf = (request: FastifyRequest): string => {
  const given = [
    headerToken(request),
    textMember(request.body, 'access_token'),
    textMember(request.query, 'access_token'),
  ]
  const [token, second] = given.filter((found) => found !== undefined)
  if (second !== undefined) return throwApiError('two_tokens')
  return token ?? throwApiError('unauthorized')
}

/** The user of a token whose session is alive. Sessions in the database are asked for in the same query. */
const signedIn = (
  { db }: Database,
  sessions: SessionsElsewhere | undefined,
): ((token: string, user_sid: string) => Promise<UserStatusRow | undefined>) => {
  if (sessions === undefined) {
    const find = prepared(db, (token_hash: string, user_sid: string, now: number) =>
      // Each column is compared with the value: a platform's tables may have another collation than ours.
      usersWithStatus(db)
        .innerJoin('patchbay_sessions', (join) => join.on('patchbay_sessions.user_sid', '=', user_sid))
        .where('patchbay_sessions.token_hash', '=', token_hash)
        .where('users.user_sid', '=', user_sid)
        .where('patchbay_sessions.expires_at', '>', now),
    )
    return async (token, user_sid) => (await find(hashToken(token), user_sid, Date.now()))[0]
  }
  const find = prepared(db, (user_sid: string) => usersWithStatus(db).where('users.user_sid', '=', user_sid))
  return async (token, user_sid) => ((await sessions.isAlive(token, user_sid)) ? (await find(user_sid))[0] : undefined)
}

export interface AuthenticationOptions {
  database: Database
  tokens: Tokens
  linkTokens: Tokens
  owners: OwnerRows
  /** where they are kept elsewhere than in the database */
  sessions: SessionsElsewhere | undefined
}

export const createAuthentication = ({
  database,
  tokens,
  linkTokens,
  owners,
  sessions,
}: AuthenticationOptions): Authenticate => {
  const { db, engine } = database
  const findSignedIn = signedIn(database, sessions)
  // One index look-up, on every request with a key.
  const findKey = prepared(db, (token: string) => keysWithStatus(db).where('api_keys.token', '=', token))

  const byKey = async (token: string): Promise<Identified | undefined> => {
    const [key] = await findKey(token)
    const actor = key && principalOfKey(key)
    if (key === undefined || actor === undefined) return undefined
    await markApiKeyUsed(database, token, key.last_used)
    return { ...actor, sid: key.api_key_sid, name: maskToken(token) }
  }

  const byUser = async (token: string, user_sid: string): Promise<Identified | undefined> => {
    const user = await findSignedIn(token, user_sid)
    const actor = user && principalOfUser(user)
    return actor && { ...actor, sid: user_sid, name: user.name }
  }

  const byLink = async (token: string): Promise<Identified | undefined> => {
    const verified = await linkTokens.verify(token)
    const { reset_link = '', user_sid = null } = typeof verified === 'object' ? verified.claims : {}
    const user = reset_link === '' ? undefined : await findUserByLink(database, reset_link)
    const actor = user && principalOfUser(user)
    return actor?.user_sid === user_sid
      ? actor && { ...actor, sid: user_sid, name: user?.name ?? null, reset_link }
      : undefined
  }

  /** The secret of the embedded database is nobody's but ours, and we sign no token without a user. */
  const byClaims = async ({ claims, expiresAt }: Verified): Promise<Identified | undefined> => {
    const isOurs = engine === 'mysql' && Number.isFinite(expiresAt)
    const actor = isOurs ? await principalOfClaims(claims, owners) : undefined
    return actor && { ...actor, sid: null, name: null }
  }

  const identify = async (token: string): Promise<Identified | undefined> => {
    const verified = await tokens.verify(token)
    if (verified === 'expired') return undefined
    if (verified === undefined) return (await byLink(token)) ?? byKey(token)
    const { user_sid } = verified.claims
    return user_sid === undefined ? byClaims(verified) : byUser(token, user_sid)
  }

  return async (request) => {
    const token = tokenOf(request)
    const identified = (await identify(token)) ?? throwApiError('unauthorized')
    return { actor: { ...identified, address: request.ip, request_id: request.id }, token }
  }
}
