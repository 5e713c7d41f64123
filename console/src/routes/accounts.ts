import { Building2 } from 'lucide-react'
import { listSearch } from './list-search-params.ts'
import { defineScreen } from './define-screen.ts'
import { tabSearch } from './tab-search-params.ts'

export const accountList = defineScreen({
  path: '/internal/accounts',
  title: 'Accounts',
  load: () => import('../screens/accounts/list.tsx'),
  minScope: 'service_provider',
  refusal: 'You do not have permissions to manage all accounts',
  search: listSearch,
  menu: { group: 'general', icon: Building2 },
  key: 'a',
  records: () => import('../screens/accounts/records.ts'),
  start: true,
  pieces: [() => import('../screens/accounts/delete-account.tsx')],
})

export const addAccount = defineScreen({
  path: '/internal/accounts/add',
  title: 'Add an account',
  load: () => import('../screens/accounts/add.tsx'),
  minScope: 'service_provider',
  under: accountList,
  changes: true,
})

export const editAccount = defineScreen({
  path: '/internal/accounts/$account_sid/edit',
  title: 'Edit account',
  load: () => import('../screens/accounts/edit.tsx'),
  ownAccount: true,
  search: tabSearch,
  under: accountList,
  menu: {
    group: 'general',
    icon: Building2,
    label: 'Account',
    params: ({ account_sid }) => (account_sid === null ? undefined : { account_sid }),
  },
  key: 'a',
  start: true,
})

export const accountScreens = [accountList, addAccount, editAccount]
