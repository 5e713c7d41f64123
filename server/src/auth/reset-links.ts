import type { Transaction } from 'kysely'
import { randomBytes } from 'node:crypto'
import { type Database, inTransaction } from '../database/engine.ts'
import type { Tables } from '../database/tables.ts'
import { sha256 } from '../lib/sha256.ts'
import { linkSeconds } from './tokens.ts'
import { isAllowedToAct, usersWithStatus } from './principals.ts'

/** Links of mails that set a new password: kept as hashes, so that a copy of the database lets nobody in. */

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

/** Of several whom old data gives one address, always the same. */
export const findByEmail = async (database: Database, email: string): Promise<UserWithAddress | undefined> => {
  const users = await usersWithAddress(database).where('users.email', '=', email).orderBy('users.user_sid').execute()
  return users.find(isAllowedToAct)
}

const madeFor = ({ hashed_password, email }: UserWithAddress): string =>
  sha256(JSON.stringify([hashed_password, email]))

/** A new link, in place of any that the user had. */
export const makeResetLink = async (database: Database, user: UserWithAddress): Promise<string> => {
  const link = randomBytes(24).toString('base64url')
  const { user_sid } = user
  const row = {
    user_sid,
    link_hash: sha256(link),
    made_for: madeFor(user),
    expires_at: Date.now() + linkSeconds * 1000,
  }
  await inTransaction(database, async (trx) => {
    await trx.deleteFrom('patchbay_reset_links').where('user_sid', '=', user_sid).execute()
    await trx.insertInto('patchbay_reset_links').values(row).execute()
  })
  return link
}

/** Whose the link is, while it is good: not yet used, nor too old, of a user who has changed neither password nor address. */
export const findUserOfLink = async (database: Database, link_hash: string): Promise<UserWithAddress | undefined> => {
  const found = await database.db
    .selectFrom('patchbay_reset_links')
    .select(['user_sid', 'made_for'])
    .where('link_hash', '=', link_hash)
    .where('expires_at', '>', Date.now())
    .executeTakeFirst()
  const user =
    found && (await usersWithAddress(database).where('users.user_sid', '=', found.user_sid).executeTakeFirst())
  return user && isAllowedToAct(user) && found?.made_for === madeFor(user) ? user : undefined
}

/** With the change that it allows: of two at once one wins. */
export const useUpResetLink = async (trx: Transaction<Tables>, link_hash: string): Promise<boolean> => {
  const { numDeletedRows } = await trx
    .deleteFrom('patchbay_reset_links')
    .where('link_hash', '=', link_hash)
    .where('expires_at', '>', Date.now())
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
