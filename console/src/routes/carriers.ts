import { Network } from 'lucide-react'
import { accountSearch, rememberedAccount } from './account-search-params.ts'
import { defineScreen } from './define-screen.ts'
import { tabSearch } from './tab-search-params.ts'

export const carrierList = defineScreen({
  path: '/internal/carriers',
  title: 'Carriers',
  search: accountSearch,
  defaultSearch: rememberedAccount,
  menu: { group: 'byo', icon: Network },
  shortcut: 't',
})

export const addCarrier = defineScreen({
  path: '/internal/carriers/add',
  title: 'Add a carrier',
  parent: carrierList,
  requiresWrite: true,
})

export const editCarrier = defineScreen({
  path: '/internal/carriers/$voip_carrier_sid/edit',
  title: 'Edit carrier',
  search: tabSearch,
  parent: carrierList,
})
