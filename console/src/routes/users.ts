import { type Scope, scopes } from '@patchbay/contract/api/access'
import { Users } from 'lucide-react'
import { config } from '../api/configuration.ts'
import { stored } from '../session/storage.ts'
import { defineScreen } from './define-screen.ts'
import { type Given, type ListSearch, listSearch, omitUndefined, parseChoice, textIn } from './list-search-params.ts'
import { tabSearch } from './tab-search-params.ts'

/** The filters of users in the URL. */
export interface UserSearch extends ListSearch {
  scope?: Scope
  account?: string
}

/** Parses the filters of users. */
export const parseUserSearch = (params: Given): UserSearch =>
  omitUndefined({
    scope: parseChoice(scopes, params['scope']),
    account: textIn(params, 'account'),
    ...listSearch(params),
  })

/** Returns the search of a visit without filters: the account that was chosen last in any list. */
export const rememberedUsers = (): UserSearch => parseUserSearch({ account: stored.accountFilter.read() })

export const userList = defineScreen({
  path: '/internal/users',
  title: 'Users',
  search: parseUserSearch,
  defaultSearch: rememberedUsers,
  // In hosted installations, each account has a single user, so the menu entry is hidden. The screens can still be
  // opened by their URL.
  menu: { group: 'Manage', icon: Users, params: () => (config().hosting ? undefined : {}) },
  shortcut: 'u',
})

export const addUser = defineScreen({
  path: '/internal/users/add',
  title: 'Add a user',
  parent: userList,
  requiresWrite: true,
})

export const editUser = defineScreen({
  path: '/internal/users/$user_sid/edit',
  title: 'Edit user',
  search: tabSearch,
  parent: userList,
})
