import { stored } from '../session/storage.ts'
import { type Given, type ListSearch, listSearch, omitUndefined, textIn } from './list-search-params.ts'

/** The search of a list that can be narrowed to an account. */
export interface AccountSearch extends ListSearch {
  account?: string
}

export const accountSearch = (params: Given): AccountSearch =>
  omitUndefined({ account: textIn(params, 'account'), ...listSearch(params) })

/** Returns the search of a visit without filters: the account that was chosen last in any list. */
export const rememberedAccount = (): AccountSearch => accountSearch({ account: stored.accountFilter.read() })

/** Clearing the filters of a list forgets that account, too. */
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
