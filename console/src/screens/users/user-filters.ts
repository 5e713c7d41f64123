import { isAtLeast, type Scope } from '@patchbay/contract/api/access'
import type { ListedUser } from '@patchbay/contract/users'
import type { UserSearch } from '../../routes/users.ts'

/** Returns true for admins and for users of the provider. */
export const isAround = ({ scope, service_provider_sid }: ListedUser, provider: string): boolean =>
  scope === 'admin' || service_provider_sid === provider

export const userFilters = {
  keep: (user: ListedUser, { scope, account }: UserSearch): boolean =>
    (scope === undefined || user.scope === scope) && (account === undefined || user.account_sid === account),
  unfiltered: { scope: undefined, account: undefined },
}

/** Returns the label of the owner, as shown in the list. */
export const ownerLabel = ({ scope, account_name, service_provider_name }: ListedUser): string => {
  switch (scope) {
    case 'admin':
      return 'All'
    case 'service_provider':
      return `Service Provider: ${service_provider_name ?? ''}`
    case 'account':
      return `Account: ${account_name ?? ''}`
  }
}

/** Returns a scope and all narrower scopes, sorted from the widest to the narrowest. */
export const assignableScopes = (highest: Scope): Scope[] =>
  (['admin', 'service_provider', 'account'] as const).filter((scope) => isAtLeast(highest, scope))
