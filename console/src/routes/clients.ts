import { Smartphone } from 'lucide-react'
import { accountSearch, rememberedAccount } from './account-search-params.ts'
import { defineScreen } from './define-screen.ts'
import { tabSearch } from './tab-search-params.ts'

export const clientList = defineScreen({
  path: '/internal/clients',
  title: 'Clients',
  search: accountSearch,
  defaultSearch: rememberedAccount,
  menu: { group: 'Manage', icon: Smartphone },
  shortcut: 'd',
})

export const addClient = defineScreen({
  path: '/internal/clients/add',
  title: 'Add a SIP client',
  parent: clientList,
  requiresWrite: true,
})

export const editClient = defineScreen({
  path: '/internal/clients/$client_sid/edit',
  title: 'Edit SIP client',
  search: tabSearch,
  parent: clientList,
})
