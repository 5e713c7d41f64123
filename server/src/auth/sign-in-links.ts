import { randomBytes } from 'node:crypto'
import { throwApiError } from '@patchbay/contract/api/errors'
import type { Identity, SignInProviderName } from '../adapters/sign-in-providers/sign-in-provider.ts'
import { type Database, lockForUpdate } from '../database/engine.ts'
import type { WriteTransaction } from '../database/write-transaction.ts'
import { sha256 } from '../lib/sha256.ts'
import { toScopedOwner, usersWithStatus } from './principals.ts'

/**
 * Links between users and their accounts at Google and GitHub
 * (docs/reference/platform-api/hosted-mode.md#registration).
 */

const selectSignInUsers = ({ db }: Pick<Database, 'db'>) =>
  usersWithStatus(db).select([
    'users.email',
    'users.phone',
    'users.provider',
    'users.provider_userid',
    'users.scope',
    'users.hashed_password',
    'users.email_validated',
    'users.phone_validated',
  ])

export type LinkedUser = Awaited<ReturnType<ReturnType<typeof selectSignInUsers>['executeTakeFirstOrThrow']>>

export const readLinkedUser = (database: Pick<Database, 'db'>, user_sid: string): Promise<LinkedUser | undefined> =>
  selectSignInUsers(database).where('users.user_sid', '=', user_sid).executeTakeFirst()

/**
 * Returns a user who was created by the API server of jambonz and has not signed in here yet. GitHub login names can be
 * reassigned, so for GitHub the email address must match too.
 */
const findJambonzUser = async (
  database: Database,
  { provider, provider_userid, email }: Identity,
): Promise<LinkedUser | undefined> => {
  const linked = database.db
    .selectFrom('patchbay_sign_in_links')
    .select('patchbay_sign_in_links.user_sid')
    .where('patchbay_sign_in_links.provider', '=', provider)
  const users = await selectSignInUsers(database)
    .where('users.provider', '=', provider)
    .where('users.provider_userid', '=', provider_userid)
    .execute()
  const [user, second] = users
  if (user === undefined || second !== undefined) return undefined
  if (provider === 'github' && user.email.toLowerCase() !== email.toLowerCase()) return undefined
  const existingLink = await linked.where('patchbay_sign_in_links.user_sid', '=', user.user_sid).executeTakeFirst()
  return existingLink === undefined ? user : undefined
}

/** Returns the user who signs in with an identity. */
export const findByIdentity = async (database: Database, identity: Identity): Promise<LinkedUser | undefined> => {
  const { provider, provider_id } = identity
  const link = await database.db
    .selectFrom('patchbay_sign_in_links')
    .select('user_sid')
    .where('provider', '=', provider)
    .where('provider_id', '=', provider_id)
    .executeTakeFirst()
  // The linked user may have been deleted by other software.
  const user = link && (await readLinkedUser(database, link.user_sid))
  return user ?? findJambonzUser(database, identity)
}

interface Link {
  provider: SignInProviderName
  provider_id: string
}

/** Links the user to this account at the provider. It replaces any other link with the same provider. */
export const linkUser = async (
  { trx, engine, record }: WriteTransaction,
  user: Pick<LinkedUser, 'user_sid' | 'name' | 'account_sid' | 'service_provider_sid' | 'provider_of_account'>,
  { provider, provider_id }: Link,
): Promise<void> => {
  const { user_sid, name } = user
  const links = trx
    .selectFrom('patchbay_sign_in_links')
    .select('user_sid')
    .where('provider', '=', provider)
    .where('provider_id', '=', provider_id)
  const existing = await lockForUpdate(engine, links).executeTakeFirst()
  if (existing?.user_sid === user_sid) return
  if (existing !== undefined) {
    const owner = trx.selectFrom('users').select('user_sid').where('user_sid', '=', existing.user_sid)
    if (await owner.executeTakeFirst()) throwApiError('sign_in_account_taken')
  }
  await trx
    .deleteFrom('patchbay_sign_in_links')
    .where('provider', '=', provider)
    .where((where) => where.or([where('provider_id', '=', provider_id), where('user_sid', '=', user_sid)]))
    .execute()
  await trx
    .insertInto('patchbay_sign_in_links')
    .values({ provider, provider_id, user_sid, linked_at: Date.now() })
    .execute()
  const { account_sid, service_provider_sid } = toScopedOwner(user)
  const owner = { account_sid, service_provider_sid }
  record({ action: 'create', kind: 'sign_in_link', sid: user_sid, name, owner, before: null, after: { provider } })
}

const offerMinutes = 10
const maxAttempts = 5

/**
 * Creates an offer to link an identity to the user with the same address after the password has been entered. Replaces
 * any earlier offer. Returns its ticket.
 */
export const offerLink = async (
  { db }: Database,
  user_sid: string,
  { provider, provider_id, provider_userid, email, picture }: Identity,
): Promise<string> => {
  const ticket = randomBytes(32).toString('base64url')
  await db
    .deleteFrom('patchbay_link_tickets')
    .where((where) => where.or([where('expires_at', '<', Date.now()), where('user_sid', '=', user_sid)]))
    .execute()
  await db
    .insertInto('patchbay_link_tickets')
    .values({
      ticket_hash: sha256(ticket),
      user_sid,
      provider,
      provider_id,
      provider_userid,
      email,
      picture,
      tries_left: maxAttempts,
      expires_at: Date.now() + offerMinutes * 60_000,
    })
    .execute()
  return ticket
}

export interface LinkOffer extends Identity {
  ticket_hash: string
  user_sid: string
}

/**
 * Uses one attempt and returns the offer, or undefined if it has expired or no attempt is left. The attempt is counted
 * before the password is verified.
 */
export const tryOffer = async ({ db }: Database, ticket: string): Promise<LinkOffer | undefined> => {
  const ticket_hash = sha256(ticket)
  const { numUpdatedRows } = await db
    .updateTable('patchbay_link_tickets')
    .set((set) => ({ tries_left: set('tries_left', '-', 1) }))
    .where('ticket_hash', '=', ticket_hash)
    .where('tries_left', '>', 0)
    .where('expires_at', '>', Date.now())
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return undefined
  const row = await db
    .selectFrom('patchbay_link_tickets')
    .select(['ticket_hash', 'user_sid', 'provider', 'provider_id', 'provider_userid', 'email', 'picture'])
    .where('ticket_hash', '=', ticket_hash)
    .executeTakeFirst()
  return row && { ...row, provider: row.provider === 'google' ? 'google' : 'github' }
}

/**
 * Deletes the offer in the transaction that creates the link. Throws `link_ticket_expired` if a concurrent request has used
 * it.
 */
export const useUpOffer = async ({ trx }: WriteTransaction, ticket_hash: string): Promise<void> => {
  const { numDeletedRows } = await trx
    .deleteFrom('patchbay_link_tickets')
    .where('ticket_hash', '=', ticket_hash)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throwApiError('link_ticket_expired')
}
