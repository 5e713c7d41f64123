import { Key } from 'lucide-react'
import { defineScreen } from './define-screen.ts'
import { listSearch } from './list-search-params.ts'

export const apiKeyList = defineScreen({
  path: '/internal/api-keys',
  title: 'API keys',
  search: listSearch,
  serverExtension: 'api-keys',
  menu: { group: 'Manage', icon: Key },
  shortcut: 'k',
})
