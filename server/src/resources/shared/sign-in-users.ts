import type { TokenClaims } from '@patchbay/contract/sessions'
import type { Kysely } from 'kysely'
import { isViewOnly, toScopedOwner, usersWithNames } from '../../auth/principals.ts'
import type { Database } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'

/** Queries for signing in. */

const selectSignInUsers = (db: Kysely<Tables>) =>
  usersWithNames(db).select([
    'users.hashed_password',
    'users.provider',
    'users.email',
    'users.phone',
    'users.provider_userid',
    'users.scope',
    'users.phone_validated',
    'users.email_validated',
  ])

export type SignInUser = Awaited<ReturnType<ReturnType<typeof selectSignInUsers>['executeTakeFirstOrThrow']>>

/** Finds a user by name, case-insensitively. If old data contains duplicates, always returns the same one. */
export const findByName = ({ db }: Database, name: string): Promise<SignInUser | undefined> =>
  selectSignInUsers(db).where('users.name', '=', name).orderBy('users.user_sid').executeTakeFirst()

/**
 * Finds a user by a confirmed email address, case-insensitively. Returns always the same one of several users in old
 * data.
 */
export const findByConfirmedEmail = ({ db }: Database, email: string): Promise<SignInUser | undefined> =>
  selectSignInUsers(db)
    .where('users.email', '=', email)
    .where('users.email_validated', '=', 1)
    .where('users.provider', '=', 'local')
    .orderBy('users.user_sid')
    .executeTakeFirst()

export const findBySid = ({ db }: Database, user_sid: string): Promise<SignInUser | undefined> =>
  selectSignInUsers(db).where('users.user_sid', '=', user_sid).executeTakeFirst()

export const findPermissions = async ({ db }: Database, user_sid: string): Promise<string[]> => {
  const rows = await db
    .selectFrom('user_permissions')
    .innerJoin('permissions', 'permissions.permission_sid', 'user_permissions.permission_sid')
    .select('permissions.name')
    .where('user_permissions.user_sid', '=', user_sid)
    .orderBy('permissions.name')
    .execute()
  return rows.map(({ name }) => name)
}

export const toTokenClaims = (user: SignInUser, permissions: string[]): TokenClaims => {
  const { scope, account_sid, service_provider_sid } = toScopedOwner(user)
  return {
    scope,
    user_sid: user.user_sid,
    name: user.name,
    permissions,
    is_view_only: isViewOnly(user),
    ...(account_sid === null ? {} : { account_sid, account_name: user.account_name ?? '' }),
    ...(service_provider_sid === null
      ? {}
      : { service_provider_sid, service_provider_name: user.service_provider_name ?? '' }),
  }
}

/**
 * Replaces a password hash unless the password was changed in the meantime. The password itself stays the same, so this
 * is not recorded in the audit trail.
 */
export const replaceHash = async (
  { db }: Database,
  user_sid: string,
  oldHash: string,
  newHash: string,
): Promise<void> => {
  await db
    .updateTable('users')
    .set({ hashed_password: newHash })
    .where('user_sid', '=', user_sid)
    .where('hashed_password', '=', oldHash)
    .execute()
}
