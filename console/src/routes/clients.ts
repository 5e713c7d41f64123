import { Smartphone } from 'lucide-react'
import { accountSearch, rememberedAccount } from './account-search-params.ts'
import { defineScreen } from './define-screen.ts'
import { searchSelect } from '../fields/use-lazy-search-select.ts'
import { tabSearch } from './tab-search-params.ts'

export const clientList = defineScreen({
  path: '/internal/clients',
  title: 'Clients',
  load: () => import('../screens/clients/list.tsx'),
  search: accountSearch,
  remembered: rememberedAccount,
  menu: { group: 'general', icon: Smartphone },
  key: 'd',
  records: () => import('../screens/clients/records.ts'),
  pieces: [searchSelect],
})

export const addClient = defineScreen({
  path: '/internal/clients/add',
  title: 'Add a SIP client',
  load: () => import('../screens/clients/add.tsx'),
  under: clientList,
  changes: true,
})

export const editClient = defineScreen({
  path: '/internal/clients/$client_sid/edit',
  title: 'Edit SIP client',
  load: () => import('../screens/clients/edit.tsx'),
  search: tabSearch,
  under: clientList,
})

export const clientScreens = [clientList, addClient, editClient]
