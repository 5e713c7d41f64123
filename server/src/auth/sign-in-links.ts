import { throwApiError } from '@patchbay/contract/errors'
import { randomBytes } from 'node:crypto'
import { type Database, lockForUpdate } from '../database/engine.ts'
import type { WriteTransaction } from '../database/write-transaction.ts'
import type { Identity, SignInProviderName } from '../adapters/sign-in-providers/sign-in-provider.ts'
import { sha256 } from '../lib/sha256.ts'
import { toScopedOwner, usersWithStatus } from './principals.ts'

/** Which users accounts at Google and GitHub stand for (api/4-calls-and-hosted.md §5.1). */

const signInRows = ({ db }: Pick<Database, 'db'>) =>
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

export type LinkedUser = Awaited<ReturnType<ReturnType<typeof signInRows>['executeTakeFirstOrThrow']>>

export const readLinkedUser = (database: Pick<Database, 'db'>, user_sid: string): Promise<LinkedUser | undefined> =>
  signInRows(database).where('users.user_sid', '=', user_sid).executeTakeFirst()

/**
 * A user whom the platform's own server made, and who has not signed in here yet. A name at GitHub changes hands, so there
 * the address must be the same, too.
 */
const findMadeElsewhere = async (
  database: Database,
  { provider, provider_userid, email }: Identity,
): Promise<LinkedUser | undefined> => {
  const linked = database.db
    .selectFrom('patchbay_sign_in_links')
    .select('patchbay_sign_in_links.user_sid')
    .where('patchbay_sign_in_links.provider', '=', provider)
  const users = await signInRows(database)
    .where('users.provider', '=', provider)
    .where('users.provider_userid', '=', provider_userid)
    .execute()
  const [user, second] = users
  if (user === undefined || second !== undefined) return undefined
  if (provider === 'github' && user.email.toLowerCase() !== email.toLowerCase()) return undefined
  const has = await linked.where('patchbay_sign_in_links.user_sid', '=', user.user_sid).executeTakeFirst()
  return has === undefined ? user : undefined
}

/** The user who signs in so. */
export const findByIdentity = async (database: Database, identity: Identity): Promise<LinkedUser | undefined> => {
  const { provider, provider_id } = identity
  const link = await database.db
    .selectFrom('patchbay_sign_in_links')
    .select('user_sid')
    .where('provider', '=', provider)
    .where('provider_id', '=', provider_id)
    .executeTakeFirst()
  // Its user may be gone, by whatever way.
  const user = link && (await readLinkedUser(database, link.user_sid))
  return user ?? findMadeElsewhere(database, identity)
}

interface Link {
  provider: SignInProviderName
  provider_id: string
}

/** From now on the user signs in by this account of the provider, and by no other of the same provider. */
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
  const found = await lockForUpdate(engine, links).executeTakeFirst()
  if (found?.user_sid === user_sid) return
  if (found !== undefined) {
    const owner = trx.selectFrom('users').select('user_sid').where('user_sid', '=', found.user_sid)
    if (await owner.executeTakeFirst()) throwApiError('sign_in_taken')
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

/** With the users that are deleted. */
export const dropSignInLinks = async (
  { trx }: WriteTransaction,
  column: 'user_sid' | 'account_sid',
  sid: string,
): Promise<void> => {
  const users = trx.selectFrom('users').select('user_sid').where(column, '=', sid)
  for (const table of ['patchbay_sign_in_links', 'patchbay_link_tickets'] as const)
    await trx.deleteFrom(table).where('user_sid', 'in', users).execute()
}

const ticketMinutes = 10
const maxAttempts = 5

/** An offer to link the identity to the user of its address, once the password is shown; in place of any before. */
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
      expires_at: Date.now() + ticketMinutes * 60_000,
    })
    .execute()
  return ticket
}

export interface LinkOffer extends Identity {
  ticket_hash: string
  user_sid: string
}

/** The offer, one try less; undefined where there is none any more. Counted before the password is looked at. */
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

/** With the link that it allows: of two at once one wins. */
export const useUpOffer = async ({ trx }: WriteTransaction, ticket_hash: string): Promise<void> => {
  const { numDeletedRows } = await trx
    .deleteFrom('patchbay_link_tickets')
    .where('ticket_hash', '=', ticket_hash)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throwApiError('link_offer_over')
}
