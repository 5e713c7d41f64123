import { type Actor, noOwner, type Owner, type Scope } from '@patchbay/contract/api/access'
import type { SignedClaims } from '@patchbay/contract/sessions'
import { type Kysely, sql } from 'kysely'
import { isSuspensionReason } from '../database/suspension-reasons.ts'
import type { Tables } from '../database/tables.ts'

/**
 * Determines the actor of a user, an API key, or a token of jambonz from rows that are read with every request
 * (docs/reference/platform-api/identity.md#authentication).
 */

export interface ScopedOwner extends Owner {
  scope: Scope
}

interface OwnerColumns extends Owner {
  provider_of_account: string | null
}

/** An account always limits the scope, even if the row also names a service provider. */
export const toScopedOwner = ({ account_sid, service_provider_sid, provider_of_account }: OwnerColumns): ScopedOwner =>
  account_sid !== null
    ? { scope: 'account', account_sid, service_provider_sid: provider_of_account }
    : { scope: service_provider_sid === null ? 'admin' : 'service_provider', account_sid, service_provider_sid }

/**
 * The name of the permission of a user who has exactly one. Only then does the permission matter
 * (docs/reference/platform-api/identity.md#session-tokens).
 */
const onlyPermission = sql<string | null>`(
  select case when count(distinct permissions.name) = 1 then max(permissions.name) end
  from user_permissions inner join permissions on permissions.permission_sid = user_permissions.permission_sid
  where user_permissions.user_sid = users.user_sid
)`

/** Users with the columns that determine their scope and status. */
export const usersWithStatus = (db: Kysely<Tables>) =>
  db
    .selectFrom('users')
    .leftJoin('accounts', 'accounts.account_sid', 'users.account_sid')
    .select([
      'users.user_sid',
      'users.name',
      'users.account_sid',
      'users.service_provider_sid',
      'users.is_active',
      'users.force_change',
      'accounts.service_provider_sid as provider_of_account',
      'accounts.is_active as account_is_active',
      'accounts.deactivated_reason',
      onlyPermission.as('only_permission'),
    ])

export type UserStatusRow = Awaited<ReturnType<ReturnType<typeof usersWithStatus>['executeTakeFirstOrThrow']>>

/**
 * Users as in `usersWithStatus`, with the names of account and provider. The provider is that of the account if there
 * is one.
 */
export const usersWithNames = (db: Kysely<Tables>) =>
  usersWithStatus(db)
    .leftJoin('service_providers', (join) =>
      join.on((on) =>
        on(
          'service_providers.service_provider_sid',
          '=',
          on.fn.coalesce('accounts.service_provider_sid', 'users.service_provider_sid'),
        ),
      ),
    )
    .select(['accounts.name as account_name', 'service_providers.name as service_provider_name'])

export const isViewOnly = ({ only_permission }: Pick<UserStatusRow, 'only_permission'>): boolean =>
  only_permission === 'VIEW_ONLY'

/** No actor can act for an account that is inactive or deleted. */
const isAccountUsable = ({
  account_sid,
  account_is_active,
}: {
  account_sid: string | null
  account_is_active: 0 | 1 | null
}) => account_sid === null || account_is_active === 1

/** Users of a suspended account can still sign in, read their data, and pay. */
const isSuspended = (user: UserStatusRow): boolean =>
  !isAccountUsable(user) && isSuspensionReason(user.deactivated_reason)

export const isAllowedToAct = (user: UserStatusRow): boolean =>
  user.is_active === 1 && (isAccountUsable(user) || isSuspended(user))

/** Returns undefined if the user or the account is inactive. */
export const principalOfUser = (user: UserStatusRow): Actor | undefined =>
  isAllowedToAct(user)
    ? {
        token: 'user',
        ...toScopedOwner(user),
        user_sid: user.user_sid,
        is_view_only: isViewOnly(user),
        must_change_password: user.force_change === 1,
        ...(isSuspended(user) ? { is_suspended: true as const } : {}),
      }
    : undefined

const withoutUser = { user_sid: null, is_view_only: false, must_change_password: false } as const

export const keysWithStatus = (db: Kysely<Tables>) =>
  db
    .selectFrom('api_keys')
    .leftJoin('accounts', 'accounts.account_sid', 'api_keys.account_sid')
    .leftJoin('patchbay_api_key_names as names', 'names.api_key_sid', 'api_keys.api_key_sid')
    .select([
      'api_keys.api_key_sid',
      'names.name',
      'api_keys.account_sid',
      'api_keys.service_provider_sid',
      'api_keys.expires_at',
      'api_keys.last_used',
      'accounts.service_provider_sid as provider_of_account',
      'accounts.is_active as account_is_active',
    ])

export type KeyStatusRow = Awaited<ReturnType<ReturnType<typeof keysWithStatus>['executeTakeFirstOrThrow']>>

/** Returns undefined if the key has expired or its account is inactive. */
export const principalOfKey = (key: KeyStatusRow): Actor | undefined =>
  isAccountUsable(key) && (key.expires_at === null || Date.parse(key.expires_at) > Date.now())
    ? {
        token: 'api_key',
        ...toScopedOwner(key),
        ...withoutUser,
        ...(key.expires_at === null ? {} : { key_expires_at: key.expires_at }),
      }
    : undefined

/** A user or an API key. */
export interface PrincipalSid {
  user_sid: string | null
  api_key_sid: string | null
}

/**
 * Reads the current rights of users and API keys at once, for work on their behalf. The returned function looks up the
 * rights of one of them: undefined if it is deleted or inactive.
 */
export const findPrincipals = async (
  db: Kysely<Tables>,
  sids: readonly PrincipalSid[],
): Promise<(sid: PrincipalSid) => Actor | undefined> => {
  const userSids = [...new Set(sids.flatMap(({ user_sid }) => user_sid ?? []))]
  const keySids = [...new Set(sids.flatMap(({ api_key_sid }) => api_key_sid ?? []))]
  const [users, keys] = await Promise.all([
    userSids.length === 0 ? [] : usersWithStatus(db).where('users.user_sid', 'in', userSids).execute(),
    keySids.length === 0 ? [] : keysWithStatus(db).where('api_keys.api_key_sid', 'in', keySids).execute(),
  ])
  const usersBySid = new Map(users.map((user) => [user.user_sid, user]))
  const keysBySid = new Map(keys.map((key) => [key.api_key_sid, key]))
  return ({ user_sid, api_key_sid }) => {
    const user = user_sid === null ? undefined : usersBySid.get(user_sid)
    if (user !== undefined) return principalOfUser(user)
    const key = api_key_sid === null ? undefined : keysBySid.get(api_key_sid)
    return key && principalOfKey(key)
  }
}

export interface OwnerRows {
  account(sid: string): Promise<{ service_provider_sid: string | null; is_active: 0 | 1 } | undefined>
  service_provider(sid: string): Promise<object | undefined>
}

/**
 * Returns the actor of a token without a user (docs/reference/platform-api/identity.md#session-validity), limited to
 * what its claims say. Returns undefined if account or provider do not exist, do not belong together, or are inactive.
 */
export const principalOfClaims = async (claims: SignedClaims, rows: OwnerRows): Promise<Actor | undefined> => {
  const owner = await scopedOwnerOfClaims(claims, rows)
  const { is_view_only = false, permissions = [] } = claims
  const viewOnly = is_view_only || (permissions.length === 1 && permissions[0] === 'VIEW_ONLY')
  return owner && { token: 'platform', ...owner, ...withoutUser, is_view_only: viewOnly }
}

const scopedOwnerOfClaims = async (claims: SignedClaims, rows: OwnerRows): Promise<ScopedOwner | undefined> => {
  const { scope, account_sid, service_provider_sid } = claims
  switch (scope) {
    case 'admin':
      return account_sid || service_provider_sid ? undefined : { scope, ...noOwner }
    case 'service_provider': {
      if (!service_provider_sid || account_sid) return undefined
      const provider = await rows.service_provider(service_provider_sid)
      return provider && { scope, account_sid: null, service_provider_sid }
    }
    case 'account': {
      const account = account_sid ? await rows.account(account_sid) : undefined
      if (!account_sid || account?.is_active !== 1) return undefined
      const fits = !service_provider_sid || service_provider_sid === account.service_provider_sid
      return fits ? { scope, account_sid, service_provider_sid: account.service_provider_sid } : undefined
    }
  }
}
