import { Hash } from 'lucide-react'
import { defineScreen } from '../../page/screen.ts'
import { accountSearch, rememberedAccount } from '../../page/account-search.ts'
import { searchSelect } from '../../page/search-select.ts'
import { tabSearch } from '../../page/tab-search.ts'

export const phoneNumberList = defineScreen({
  path: '/internal/phone-numbers',
  title: 'Phone numbers',
  load: () => import('./list.tsx'),
  search: accountSearch,
  remembered: rememberedAccount,
  menu: { group: 'byo', icon: Hash, label: 'Phone Numbers' },
  key: 'n',
  pieces: [searchSelect],
})

export const addPhoneNumber = defineScreen({
  path: '/internal/phone-numbers/add',
  title: 'Add a phone number',
  load: () => import('./add.tsx'),
  under: phoneNumberList,
  changes: true,
})

export const importPhoneNumbers = defineScreen({
  path: '/internal/phone-numbers/import',
  title: 'Import phone numbers',
  load: () => import('./import.tsx'),
  under: phoneNumberList,
  changes: true,
})

export const editPhoneNumber = defineScreen({
  path: '/internal/phone-numbers/$phone_number_sid/edit',
  title: 'Edit phone number',
  load: () => import('./edit.tsx'),
  search: tabSearch,
  under: phoneNumberList,
})

export const phoneNumberScreens = [phoneNumberList, addPhoneNumber, importPhoneNumbers, editPhoneNumber]
