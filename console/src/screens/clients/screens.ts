import { Smartphone } from 'lucide-react'
import { accountSearch, rememberedAccount } from '../../page/account-search.ts'
import { defineScreen } from '../../page/screen.ts'
import { searchSelect } from '../../page/search-select.ts'
import { tabSearch } from '../../page/tab-search.ts'

export const clientList = defineScreen({
  path: '/internal/clients',
  title: 'Clients',
  load: () => import('./list.tsx'),
  search: accountSearch,
  remembered: rememberedAccount,
  menu: { group: 'general', icon: Smartphone },
  key: 'd',
  records: () => import('./records.ts'),
  pieces: [searchSelect],
})

export const addClient = defineScreen({
  path: '/internal/clients/add',
  title: 'Add a SIP client',
  load: () => import('./add.tsx'),
  under: clientList,
  changes: true,
})

export const editClient = defineScreen({
  path: '/internal/clients/$client_sid/edit',
  title: 'Edit SIP client',
  load: () => import('./edit.tsx'),
  search: tabSearch,
  under: clientList,
})

export const clientScreens = [clientList, addClient, editClient]
