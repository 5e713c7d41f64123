import { numberAttention } from '@patchbay/contract/shared/attention-kinds'
import { Hash } from 'lucide-react'
import { attentionSearch, rememberedAccount } from './account-search-params.ts'
import { defineScreen } from './define-screen.ts'
import { tabSearch } from './tab-search-params.ts'

export const phoneNumberList = defineScreen({
  path: '/internal/phone-numbers',
  title: 'Phone numbers',
  search: attentionSearch(numberAttention),
  defaultSearch: rememberedAccount,
  menu: { group: 'BYO Services', icon: Hash, label: 'Phone Numbers' },
  shortcut: 'n',
})

export const addPhoneNumber = defineScreen({
  path: '/internal/phone-numbers/add',
  title: 'Add a phone number',
  parent: phoneNumberList,
  requiresWrite: true,
})

export const importPhoneNumbers = defineScreen({
  path: '/internal/phone-numbers/import',
  title: 'Import phone numbers',
  parent: phoneNumberList,
  requiresWrite: true,
})

export const editPhoneNumber = defineScreen({
  path: '/internal/phone-numbers/$phone_number_sid/edit',
  title: 'Edit phone number',
  search: tabSearch,
  parent: phoneNumberList,
})
