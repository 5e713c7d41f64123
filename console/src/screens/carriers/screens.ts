import { Network } from 'lucide-react'
import { accountSearch, rememberedAccount } from '../../page/account-search.ts'
import { defineScreen } from '../../page/screen.ts'
import { searchSelect } from '../../page/search-select.ts'
import { tabSearch } from '../../page/tab-search.ts'

export const carrierList = defineScreen({
  path: '/internal/carriers',
  title: 'Carriers',
  load: () => import('./list.tsx'),
  search: accountSearch,
  remembered: rememberedAccount,
  menu: { group: 'byo', icon: Network },
  key: 't',
  records: () => import('./records.ts'),
  pieces: [searchSelect, () => import('./delete-carrier.tsx')],
})

export const addCarrier = defineScreen({
  path: '/internal/carriers/add',
  title: 'Add a carrier',
  load: () => import('./add.tsx'),
  under: carrierList,
  changes: true,
})

export const editCarrier = defineScreen({
  path: '/internal/carriers/$voip_carrier_sid/edit',
  title: 'Edit carrier',
  load: () => import('./edit.tsx'),
  search: tabSearch,
  under: carrierList,
})

export const carrierScreens = [carrierList, addCarrier, editCarrier]
