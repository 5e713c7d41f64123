import { Activity } from 'lucide-react'
import { defineScreen } from './define-screen.ts'
import { type AccountSearch, accountSearch } from './account-search-params.ts'
import { type Given, omitUndefined, textIn } from './list-search-params.ts'

export interface LiveCallSearch extends AccountSearch {
  /** which calls; those that are up stand for themselves */
  state?: string
}

export const liveCallSearch = (given: Given): LiveCallSearch =>
  omitUndefined({ ...accountSearch(given), state: textIn(given, 'state') })

export const liveCalls = defineScreen({
  path: '/internal/live-calls',
  title: 'Live calls',
  search: liveCallSearch,
  menu: { group: 'general', icon: Activity },
  shortcut: 'i',
})
