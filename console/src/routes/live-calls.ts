import { Activity } from 'lucide-react'
import { type AccountSearch, accountSearch } from './account-search-params.ts'
import { defineScreen } from './define-screen.ts'
import { type Given, omitUndefined, textIn } from './list-search-params.ts'

export interface LiveCallSearch extends AccountSearch {
  /** The state of the calls. Absent for calls in progress. */
  state?: string
}

/** Parses the search parameters of the live calls list. */
export const liveCallSearch = (params: Given): LiveCallSearch =>
  omitUndefined({ ...accountSearch(params), state: textIn(params, 'state') })

export const liveCalls = defineScreen({
  path: '/internal/live-calls',
  title: 'Live calls',
  search: liveCallSearch,
  menu: { group: 'Calls', icon: Activity },
  shortcut: 'i',
})
