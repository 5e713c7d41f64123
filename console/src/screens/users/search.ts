import { type Scope, scopes } from '@patchbay/contract/access'
import type { ListedUser } from '@patchbay/contract/users'
import {
  type Given,
  type ListSearch,
  listSearch,
  parseOneOf,
  omitUndefined,
  textIn,
} from '../../routes/list-search-params.ts'
import { stored } from '../../session/storage.ts'

/** The filters of users, as the URL holds them. */
export interface UserSearch extends ListSearch {
  scope?: Scope
  account?: string
}

export const parseUserSearch = (given: Given): UserSearch =>
  omitUndefined({ scope: parseOneOf(scopes, given['scope']), account: textIn(given, 'account'), ...listSearch(given) })

/** What a visit without filters starts with: the account that was last chosen in a list. */
export const rememberedUsers = (): UserSearch => parseUserSearch({ account: stored.accountFilter.read() })

/** Admins, and those of one provider. */
export const isAround = ({ scope, service_provider_sid }: ListedUser, provider: string): boolean =>
  scope === 'admin' || service_provider_sid === provider

export const userFilters = {
  keep: (user: ListedUser, { scope, account }: UserSearch): boolean =>
    (scope === undefined || user.scope === scope) && (account === undefined || user.account_sid === account),
  unfiltered: { scope: undefined, account: undefined },
}

/** Where a user belongs, as lists say it. */
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
