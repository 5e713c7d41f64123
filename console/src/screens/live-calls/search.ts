import { type AccountSearch, accountSearch } from '../../routes/account-search-params.ts'
import { type Given, omitUndefined, textIn } from '../../routes/list-search-params.ts'

export interface LiveCallSearch extends AccountSearch {
  /** which calls; those that are up stand for themselves */
  state?: string
}

export const liveCallSearch = (given: Given): LiveCallSearch =>
  omitUndefined({ ...accountSearch(given), state: textIn(given, 'state') })
