import type { Scope } from '@patchbay/contract/access'
import type { TokenClaims } from '@patchbay/contract/sessions'
import type { Kysely } from 'kysely'
import type { Database } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'

/** What signing in needs to know of a user. */

const signInRows = (db: Kysely<Tables>) =>
  db
    .selectFrom('users')
    .leftJoin('accounts', 'accounts.account_sid', 'users.account_sid')
    .leftJoin('service_providers', (join) =>
      join.on((on) =>
        on(
          'service_providers.service_provider_sid',
          '=',
          on.fn.coalesce('accounts.service_provider_sid', 'users.service_provider_sid'),
        ),
      ),
    )
    .select([
      'users.user_sid',
      'users.name',
      'users.hashed_password',
      'users.provider',
      'users.is_active',
      'users.force_change',
      'users.account_sid',
      'accounts.name as account_name',
      'accounts.is_active as account_is_active',
      'service_providers.service_provider_sid',
      'service_providers.name as service_provider_name',
    ])

export type SignInUser = Awaited<ReturnType<ReturnType<typeof signInRows>['executeTakeFirstOrThrow']>>

/** By name, case-insensitively; where old data has duplicates, always the same one. */
export const findByName = ({ db }: Database, name: string): Promise<SignInUser | undefined> =>
  signInRows(db).where('users.name', '=', name).orderBy('users.user_sid').executeTakeFirst()

export const findBySid = ({ db }: Database, user_sid: string): Promise<SignInUser | undefined> =>
  signInRows(db).where('users.user_sid', '=', user_sid).executeTakeFirst()

export const permissionsOf = async ({ db }: Database, user_sid: string): Promise<string[]> => {
  const rows = await db
    .selectFrom('user_permissions')
    .innerJoin('permissions', 'permissions.permission_sid', 'user_permissions.permission_sid')
    .select('permissions.name')
    .where('user_permissions.user_sid', '=', user_sid)
    .orderBy('permissions.name')
    .execute()
  return rows.map(({ name }) => name)
}

/** A non-null account makes scope account, also where the provider is missing (api/1-identity.md §2.2). */
export const scopeOf = ({ account_sid, service_provider_sid }: SignInUser): Scope =>
  account_sid !== null ? 'account' : service_provider_sid !== null ? 'service_provider' : 'admin'

export const claimsOf = (user: SignInUser, permissions: string[]): TokenClaims => ({
  scope: scopeOf(user),
  user_sid: user.user_sid,
  name: user.name,
  permissions,
  is_view_only: permissions.length === 1 && permissions[0] === 'VIEW_ONLY',
  ...(user.account_sid === null ? {} : { account_sid: user.account_sid, account_name: user.account_name ?? '' }),
  ...(user.service_provider_sid === null
    ? {}
    : { service_provider_sid: user.service_provider_sid, service_provider_name: user.service_provider_name ?? '' }),
})
