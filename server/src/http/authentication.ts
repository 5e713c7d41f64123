import type { Actor } from '@patchbay/contract/access'
import { refuse } from '@patchbay/contract/errors'
import type { FastifyRequest } from 'fastify'
import type { Database } from '../database/engine.ts'
import { prepared } from '../database/prepared.ts'
import type { SessionsElsewhere } from '../platform/sessions/sessions.ts'
import { hashOf } from '../platform/sessions/sql-sessions.ts'
import { markApiKeyUsed } from '../stores/api-key-use.ts'
import type { Tokens } from '../tokens.ts'

/** Who calls: from a session token of a user, or from an API key (api/1-identity.md §2). */
export interface Authenticate {
  (request: FastifyRequest): Promise<Authenticated>
}

export interface Authenticated {
  actor: Actor
  /** as it came, for the calls that end or renew it */
  token: string
}

const textMember = (from: unknown, member: string): string | undefined => {
  if (typeof from !== 'object' || from === null || !Object.hasOwn(from, member)) return undefined
  const value: unknown = Reflect.get(from, member)
  return typeof value === 'string' ? value : undefined
}

const headerToken = ({ headers }: FastifyRequest): string | undefined => {
  if (headers.authorization === undefined) return undefined
  const [scheme, token, ...rest] = headers.authorization.trim().split(' ')
  if (token === undefined || rest.length > 0) return refuse('malformed_authorization')
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
  if (second !== undefined) return refuse('two_tokens')
  return token ?? refuse('unauthorized')
}

const users = ({ db }: Database) =>
  db
    .selectFrom('users')
    .leftJoin('accounts', 'accounts.account_sid', 'users.account_sid')
    .select([
      'users.account_sid',
      'users.service_provider_sid',
      'users.is_active',
      'users.force_change',
      'accounts.service_provider_sid as provider_of_account',
    ])

type UserRow = Awaited<ReturnType<ReturnType<typeof users>['executeTakeFirstOrThrow']>>

/** The user of a token whose session is alive. Sessions in the database are asked for in the same query. */
const signedIn = (
  database: Database,
  sessions: SessionsElsewhere | undefined,
): ((token: string, user_sid: string) => Promise<UserRow | undefined>) => {
  const { db } = database
  if (sessions === undefined) {
    const find = prepared(db, (token_hash: string, user_sid: string, now: number) =>
      // Each column is compared with the value: a platform's tables may have another collation than ours.
      users(database)
        .innerJoin('patchbay_sessions', (join) => join.on('patchbay_sessions.user_sid', '=', user_sid))
        .where('patchbay_sessions.token_hash', '=', token_hash)
        .where('users.user_sid', '=', user_sid)
        .where('patchbay_sessions.expires_at', '>', now),
    )
    return async (token, user_sid) => (await find(hashOf(token), user_sid, Date.now()))[0]
  }
  const find = prepared(db, (user_sid: string) => users(database).where('users.user_sid', '=', user_sid))
  return async (token, user_sid) => ((await sessions.isAlive(token, user_sid)) ? (await find(user_sid))[0] : undefined)
}

/** One index look-up, on every request with a key. */
const queries = ({ db }: Database) => ({
  key: prepared(db, (token: string) =>
    db
      .selectFrom('api_keys')
      .leftJoin('accounts', 'accounts.account_sid', 'api_keys.account_sid')
      .select([
        'api_keys.account_sid',
        'api_keys.service_provider_sid',
        'api_keys.expires_at',
        'api_keys.last_used',
        'accounts.service_provider_sid as provider_of_account',
      ])
      .where('api_keys.token', '=', token),
  ),
})

/** `sessions`: where they are kept elsewhere than in the database */
export const createAuthentication = (
  database: Database,
  tokens: Tokens,
  sessions?: SessionsElsewhere,
): Authenticate => {
  const find = queries(database)
  const findSignedIn = signedIn(database, sessions)

  const userActor = async (token: string, user_sid: string, is_view_only: boolean): Promise<Authenticated> => {
    const user = await findSignedIn(token, user_sid)
    if (user?.is_active !== 1) return refuse('unauthorized')
    const { account_sid } = user
    const service_provider_sid = user.provider_of_account ?? user.service_provider_sid
    const actor: Actor = {
      token: 'user',
      // An account decides, also where the row lacks the provider: such a row must never become an admin.
      scope: account_sid !== null ? 'account' : service_provider_sid !== null ? 'service_provider' : 'admin',
      user_sid,
      account_sid,
      service_provider_sid,
      is_view_only,
      must_change_password: user.force_change === 1,
    }
    return { actor, token }
  }

  const keyActor = async (token: string): Promise<Authenticated> => {
    const [key] = await find.key(token)
    if (key === undefined || (key.expires_at !== null && Date.parse(key.expires_at) <= Date.now()))
      return refuse('unauthorized')
    await markApiKeyUsed(database, token, key.last_used)
    const scope =
      key.service_provider_sid !== null ? 'service_provider' : key.account_sid !== null ? 'account' : 'admin'
    const actor: Actor = {
      token: 'api_key',
      scope,
      user_sid: null,
      account_sid: scope === 'account' ? key.account_sid : null,
      service_provider_sid: scope === 'account' ? key.provider_of_account : key.service_provider_sid,
      is_view_only: false,
      must_change_password: false,
    }
    return { actor, token }
  }

  return async (request) => {
    const token = tokenOf(request)
    const claims = await tokens.verify(token)
    if (claims === 'expired') return refuse('unauthorized')
    if (claims === undefined) return keyActor(token)
    return userActor(token, claims.user_sid, claims.is_view_only)
  }
}
