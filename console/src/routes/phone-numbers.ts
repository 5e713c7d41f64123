import { Hash } from 'lucide-react'
import { defineScreen } from './define-screen.ts'
import { accountSearch, rememberedAccount } from './account-search-params.ts'
import { searchSelect } from '../fields/use-lazy-search-select.ts'
import { tabSearch } from './tab-search-params.ts'

export const phoneNumberList = defineScreen({
  path: '/internal/phone-numbers',
  title: 'Phone numbers',
  load: () => import('../screens/phone-numbers/list.tsx'),
  search: accountSearch,
  remembered: rememberedAccount,
  menu: { group: 'byo', icon: Hash, label: 'Phone Numbers' },
  key: 'n',
  pieces: [searchSelect],
})

export const addPhoneNumber = defineScreen({
  path: '/internal/phone-numbers/add',
  title: 'Add a phone number',
  load: () => import('../screens/phone-numbers/add.tsx'),
  under: phoneNumberList,
  changes: true,
})

export const importPhoneNumbers = defineScreen({
  path: '/internal/phone-numbers/import',
  title: 'Import phone numbers',
  load: () => import('../screens/phone-numbers/import.tsx'),
  under: phoneNumberList,
  changes: true,
})

export const editPhoneNumber = defineScreen({
  path: '/internal/phone-numbers/$phone_number_sid/edit',
  title: 'Edit phone number',
  load: () => import('../screens/phone-numbers/edit.tsx'),
  search: tabSearch,
  under: phoneNumberList,
})

export const phoneNumberScreens = [phoneNumberList, addPhoneNumber, importPhoneNumbers, editPhoneNumber]
