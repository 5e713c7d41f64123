import { Network } from 'lucide-react'
import { accountSearch, rememberedAccount } from './account-search-params.ts'
import { defineScreen } from './define-screen.ts'
import { searchSelect } from '../fields/use-lazy-search-select.ts'
import { tabSearch } from './tab-search-params.ts'

export const carrierList = defineScreen({
  path: '/internal/carriers',
  title: 'Carriers',
  load: () => import('../screens/carriers/list.tsx'),
  search: accountSearch,
  remembered: rememberedAccount,
  menu: { group: 'byo', icon: Network },
  key: 't',
  records: () => import('../screens/carriers/records.ts'),
  pieces: [searchSelect, () => import('../screens/carriers/delete-carrier.tsx')],
})

export const addCarrier = defineScreen({
  path: '/internal/carriers/add',
  title: 'Add a carrier',
  load: () => import('../screens/carriers/add.tsx'),
  under: carrierList,
  changes: true,
})

export const editCarrier = defineScreen({
  path: '/internal/carriers/$voip_carrier_sid/edit',
  title: 'Edit carrier',
  load: () => import('../screens/carriers/edit.tsx'),
  search: tabSearch,
  under: carrierList,
})

export const carrierScreens = [carrierList, addCarrier, editCarrier]
