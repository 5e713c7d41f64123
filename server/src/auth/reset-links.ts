import { randomBytes } from 'node:crypto'
import type { Transaction } from 'kysely'
import { type Database, inTransaction } from '../database/engine.ts'
import type { Tables } from '../database/tables.ts'
import { sha256 } from '../lib/sha256.ts'
import { isAllowedToAct, usersWithStatus } from './principals.ts'
import { linkSeconds } from './tokens.ts'

/** Password reset links. They are stored as hashes, so that a copy of the database does not allow signing in. */

export const hashOfLink = sha256

const usersWithAddress = ({ db }: Pick<Database, 'db'>) =>
  usersWithStatus(db).select([
    'users.email',
    'users.phone',
    'users.hashed_password',
    'users.provider',
    'users.provider_userid',
    'users.scope',
    'users.phone_validated',
    'users.email_validated',
  ])

export type UserWithAddress = Awaited<ReturnType<ReturnType<typeof usersWithAddress>['executeTakeFirstOrThrow']>>

/** Returns an active user with this address. Old data may contain several, so the order is fixed. */
export const findByEmail = async (database: Database, email: string): Promise<UserWithAddress | undefined> => {
  const users = await usersWithAddress(database).where('users.email', '=', email).orderBy('users.user_sid').execute()
  return users.find(isAllowedToAct)
}

const createFingerprint = ({ hashed_password, email }: UserWithAddress): string =>
  sha256(JSON.stringify([hashed_password, email]))

/** Returns the user with this SID, if active. */
export const findActiveUser = async (database: Database, user_sid: string): Promise<UserWithAddress | undefined> => {
  const user = await usersWithAddress(database).where('users.user_sid', '=', user_sid).executeTakeFirst()
  return user && isAllowedToAct(user) ? user : undefined
}

/** Creates a link that replaces any earlier one of the user. */
export const createResetLink = async (
  database: Database,
  user: UserWithAddress,
  seconds: number = linkSeconds,
): Promise<string> => {
  const link = randomBytes(24).toString('base64url')
  const { user_sid } = user
  const row = {
    user_sid,
    link_hash: sha256(link),
    made_for: createFingerprint(user),
    expires_at: Date.now() + seconds * 1000,
  }
  await inTransaction(database, async (trx) => {
    await trx.deleteFrom('patchbay_reset_links').where('user_sid', '=', user_sid).execute()
    await trx.insertInto('patchbay_reset_links').values(row).execute()
  })
  return link
}

/** Returns the user of a valid link: unused, not expired, and created for the user's current password and address. */
export const findUserByLink = async (database: Database, link_hash: string): Promise<UserWithAddress | undefined> => {
  const link = await database.db
    .selectFrom('patchbay_reset_links')
    .select(['user_sid', 'made_for'])
    .where('link_hash', '=', link_hash)
    .where('expires_at', '>', Date.now())
    .executeTakeFirst()
  const user = link && (await findActiveUser(database, link.user_sid))
  return user && link?.made_for === createFingerprint(user) ? user : undefined
}

/** Deletes the link in the transaction of the password change. Returns false if a concurrent request has used it. */
export const useUpResetLink = async (trx: Transaction<Tables>, link_hash: string): Promise<boolean> => {
  const { numDeletedRows } = await trx
    .deleteFrom('patchbay_reset_links')
    .where('link_hash', '=', link_hash)
    .where('expires_at', '>', Date.now())
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
