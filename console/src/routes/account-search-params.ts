import { stored } from '../session/storage.ts'
import { type Given, type ListSearch, listSearch, omitUndefined, textIn } from './list-search-params.ts'

/** The search parameters of a list with an account filter. */
export interface AccountSearch extends ListSearch {
  account?: string
}

/** Parses the search parameters of a list with an account filter. */
export const accountSearch = (params: Given): AccountSearch =>
  omitUndefined({ account: textIn(params, 'account'), ...listSearch(params) })

/** Returns the search of a visit without filters: the account that was chosen last in any list. */
export const rememberedAccount = (): AccountSearch => accountSearch({ account: stored.accountFilter.read() })

/** Returns the view of a list that also forgets the last chosen account when the user clears the filters. */
export const clearingAccount = <View extends { clearFilters: () => void }>(view: View): View => ({
  ...view,
  clearFilters: () => {
    stored.accountFilter.clear()
    view.clearFilters()
  },
})

export const accountFilters = {
  keep: (row: { account_sid: string }, { account }: AccountSearch): boolean =>
    account === undefined || row.account_sid === account,
  unfiltered: { account: undefined },
}
