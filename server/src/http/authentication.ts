import type { Actor } from '@patchbay/contract/api/access'
import { throwApiError } from '@patchbay/contract/api/errors'
import { maskToken } from '@patchbay/rules/masking/masking'
import type { FastifyRequest } from 'fastify'
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
import type { SessionsElsewhere } from '../auth/sessions/sessions.ts'
import { hashToken } from '../auth/sessions/sql-sessions.ts'
import type { Tokens, Verified } from '../auth/tokens.ts'
import type { Database } from '../database/engine.ts'
import { prepared } from '../database/prepared-query.ts'
import type { Caller } from '../lib/caller.ts'

/**
 * Identifies the caller by a user's session token, an API key, or a token of jambonz
 * (docs/reference/platform-api/identity.md#authentication).
 */
export interface Authenticate {
  (request: FastifyRequest): Promise<Authenticated>
}

export interface Authenticated {
  actor: Caller
  /** The token as received. Used by the endpoints that end or renew it. */
  token: string
}

type Identified = Actor & Pick<Caller, 'sid' | 'name' | 'reset_link'>

const getText = (from: unknown, member: string): string | undefined => {
  if (typeof from !== 'object' || from === null || !Object.hasOwn(from, member)) return undefined
  const value: unknown = Reflect.get(from, member)
  return typeof value === 'string' ? value : undefined
}

const getHeaderToken = ({ headers }: FastifyRequest): string | undefined => {
  if (headers.authorization === undefined) return undefined
  const [scheme, token, ...rest] = headers.authorization.trim().split(' ')
  if (token === undefined || rest.length > 0) return throwApiError('invalid_authorization_header')
  return scheme?.toLowerCase() === 'bearer' ? token : undefined
}

/** Returns the token of a link from the Authorization header, or an empty text if the header has none. */
export const getLinkToken = ({ headers }: FastifyRequest): string =>
  /^bearer +(\S+)$/i.exec(headers.authorization?.trim() ?? '')?.[1] ?? ''

/**
 * Returns the token from the Authorization header, the body, or the query (`access_token`). Exactly one of them is
 * allowed.
 */
const getToken = (request: FastifyRequest): string => {
  const candidates = [
    getHeaderToken(request),
    getText(request.body, 'access_token'),
    getText(request.query, 'access_token'),
  ]
  const [token, second] = candidates.filter((candidate) => candidate !== undefined)
  if (second !== undefined) return throwApiError('multiple_access_tokens')
  return token ?? throwApiError('unauthorized')
}

/** Returns a function that finds the user of a valid session. For sessions in the database, it takes a single query. */
const createSessionLookup = (
  { db }: Database,
  sessions: SessionsElsewhere | undefined,
): ((token: string, user_sid: string) => Promise<UserStatusRow | undefined>) => {
  if (sessions === undefined) {
    const find = prepared(db, (token_hash: string, user_sid: string, now: number) =>
      // Each column is compared with the value instead of joined, because tables of jambonz may have another collation
      // than those of Patchbay.
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
  /** Undefined if the database contains the sessions. */
  externalSessions: SessionsElsewhere | undefined
}

export const createAuthentication = ({
  database,
  tokens,
  linkTokens,
  owners,
  externalSessions,
}: AuthenticationOptions): Authenticate => {
  const { db, engine } = database
  const findSignedIn = createSessionLookup(database, externalSessions)
  // Requires a single index lookup, because it runs for every request with a key.
  const findKey = prepared(db, (token: string) => keysWithStatus(db).where('api_keys.token', '=', token))

  const identifyByKey = async (token: string): Promise<Identified | undefined> => {
    const [key] = await findKey(token)
    const actor = key && principalOfKey(key)
    if (key === undefined || actor === undefined) return undefined
    await markApiKeyUsed(database, token, key.last_used)
    return { ...actor, sid: key.api_key_sid, name: key.name ?? maskToken(token) }
  }

  const identifyByUser = async (token: string, user_sid: string): Promise<Identified | undefined> => {
    const user = await findSignedIn(token, user_sid)
    const actor = user && principalOfUser(user)
    return actor && { ...actor, sid: user_sid, name: user.name }
  }

  const identifyByLink = async (token: string): Promise<Identified | undefined> => {
    const verified = await linkTokens.verify(token)
    const { reset_link = '', user_sid = null } = typeof verified === 'object' ? verified.claims : {}
    const user = reset_link === '' ? undefined : await findUserByLink(database, reset_link)
    const actor = user && principalOfUser(user)
    return actor?.user_sid === user_sid
      ? actor && { ...actor, sid: user_sid, name: user?.name ?? null, reset_link }
      : undefined
  }

  /** With an embedded database, only Patchbay knows the signing secret, and it signs no tokens without a user. */
  const identifyByClaims = async ({ claims, expiresAt }: Verified): Promise<Identified | undefined> => {
    const canBeJambonzToken = engine === 'mysql' && Number.isFinite(expiresAt)
    const actor = canBeJambonzToken ? await principalOfClaims(claims, owners) : undefined
    return actor && { ...actor, sid: null, name: null }
  }

  const identify = async (token: string): Promise<Identified | undefined> => {
    const verified = await tokens.verify(token)
    if (verified === 'expired') return undefined
    if (verified === undefined) return (await identifyByLink(token)) ?? identifyByKey(token)
    const { user_sid } = verified.claims
    return user_sid === undefined ? identifyByClaims(verified) : identifyByUser(token, user_sid)
  }

  return async (request) => {
    const token = getToken(request)
    const identified = (await identify(token)) ?? throwApiError('unauthorized')
    return { actor: { ...identified, address: request.ip, request_id: request.id }, token }
  }
}
