import { Building2 } from 'lucide-react'
import { defineScreen } from './define-screen.ts'
import { listSearch } from './list-search-params.ts'
import { tabSearch } from './tab-search-params.ts'

export const accountList = defineScreen({
  path: '/internal/accounts',
  title: 'Accounts',
  minScope: 'service_provider',
  deniedMessage: 'You do not have permissions to manage all accounts',
  search: listSearch,
  menu: { group: 'Manage', icon: Building2 },
  shortcut: 'a',
  isHome: true,
})

export const addAccount = defineScreen({
  path: '/internal/accounts/add',
  title: 'Add an account',
  minScope: 'service_provider',
  parent: accountList,
  requiresWrite: true,
})

export const editAccount = defineScreen({
  path: '/internal/accounts/$account_sid/edit',
  title: 'Edit account',
  ownAccount: true,
  search: tabSearch,
  parent: accountList,
  menu: {
    group: 'Manage',
    icon: Building2,
    label: 'Account',
    params: ({ account_sid }) => (account_sid === null ? undefined : { account_sid }),
  },
  shortcut: 'a',
  isHome: true,
})
