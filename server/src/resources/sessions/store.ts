import type { TokenClaims } from '@patchbay/contract/sessions'
import type { Kysely } from 'kysely'
import type { Database } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import { isViewOnly, usersWithNames, toScopedOwner } from '../../auth/principals.ts'

/** What signing in needs to know of a user. */

const signInRows = (db: Kysely<Tables>) => usersWithNames(db).select(['users.hashed_password', 'users.provider'])

export type SignInUser = Awaited<ReturnType<ReturnType<typeof signInRows>['executeTakeFirstOrThrow']>>

/** By name, case-insensitively; where old data has duplicates, always the same one. */
export const findByName = ({ db }: Database, name: string): Promise<SignInUser | undefined> =>
  signInRows(db).where('users.name', '=', name).orderBy('users.user_sid').executeTakeFirst()

export const findBySid = ({ db }: Database, user_sid: string): Promise<SignInUser | undefined> =>
  signInRows(db).where('users.user_sid', '=', user_sid).executeTakeFirst()

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

/** The same password under a hash of our own kind, unless it was changed meanwhile: no change in the sense of the one door. */
export const replaceHash = async ({ db }: Database, user_sid: string, from: string, to: string): Promise<void> => {
  await db
    .updateTable('users')
    .set({ hashed_password: to })
    .where('user_sid', '=', user_sid)
    .where('hashed_password', '=', from)
    .execute()
}
