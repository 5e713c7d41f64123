import { type AccountSearch, accountSearch } from '../../page/account-search.ts'
import { type Given, omitUndefined, textIn } from '../../page/list-search.ts'

export interface LiveCallSearch extends AccountSearch {
  /** which calls; those that are up stand for themselves */
  state?: string
}

export const liveCallSearch = (given: Given): LiveCallSearch =>
  omitUndefined({ ...accountSearch(given), state: textIn(given, 'state') })
