import { stored } from '../session/storage.ts'
import { type Given, type ListSearch, listSearch, omitUndefined, parseChoice, textIn } from './list-search-params.ts'

/** The search parameters of a list with an account filter. */
export interface AccountSearch extends ListSearch {
  account?: string
}

/** Parses the search parameters of a list with an account filter. */
export const accountSearch = (params: Given): AccountSearch =>
  omitUndefined({ account: textIn(params, 'account'), ...listSearch(params) })

/** The search parameters of a list that can be limited to the records with a problem. */
export interface AttentionSearch<Kind extends string> extends AccountSearch {
  attention?: Kind
}

/** Creates the parser of a list whose records can have these problems. */
export const attentionSearch =
  <Kind extends string>(kinds: readonly Kind[]) =>
  (params: Given): AttentionSearch<Kind> =>
    omitUndefined({ ...accountSearch(params), attention: parseChoice(kinds, params['attention']) })

/** Returns the search of a visit without filters: the account that was chosen last in any list. */
export const rememberedAccount = (): AttentionSearch<never> => accountSearch({ account: stored.accountFilter.read() })

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
