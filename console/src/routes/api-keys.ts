import { keyAttention } from '@patchbay/contract/shared/attention-kinds'
import { Key } from 'lucide-react'
import { defineScreen } from './define-screen.ts'
import { type Given, type ListSearch, listSearch, omitUndefined, parseChoice } from './list-search-params.ts'

export interface KeySearch extends ListSearch {
  attention?: (typeof keyAttention)[number]
}

const keySearch = (params: Given): KeySearch =>
  omitUndefined({ attention: parseChoice(keyAttention, params['attention']), ...listSearch(params) })

export const apiKeyList = defineScreen({
  path: '/internal/api-keys',
  title: 'API keys',
  search: keySearch,
  serverExtension: 'api-keys',
  menu: { group: 'Manage', icon: Key },
  shortcut: 'k',
})
