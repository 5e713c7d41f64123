import { useCallback } from 'react'
import type { AccountSearch } from '../routes/account-search-params.ts'
import type { Screen } from '../routes/define-screen.ts'
import { useNavigateTo } from '../screen/links.tsx'
import { requiredSession } from '../session/session.ts'
import { stored } from '../session/storage.ts'
import { highlightRow, listBackLink } from './list-navigation-state.ts'

/** Returns a function that opens a list with the filters that the user left it with, after a save or a deletion. */
export const useReturnToList = <Search extends object>(list: Screen<string, Search>): (() => Promise<void>) => {
  const go = useNavigateTo()
  return useCallback(() => go({ ...listBackLink(list), ignoreBlocker: true }), [go, list])
}

/**
 * Returns a function that opens a list after a record was created, with the row of the record marked. The account
 * filter changes to the account of the record, so that the list includes it. An empty account shows all accounts.
 */
export const useShowCreated = (
  list: Screen<string, AccountSearch>,
): ((sid: string, account_sid: string) => Promise<void>) => {
  const go = useNavigateTo()
  return useCallback(
    (sid, account_sid) => {
      highlightRow(list, sid)
      if (requiredSession().actor.scope === 'account') return go({ to: list, search: {}, ignoreBlocker: true })
      if (account_sid === '') stored.accountFilter.clear()
      else stored.accountFilter.write(account_sid)
      return go({ to: list, search: account_sid === '' ? {} : { account: account_sid }, ignoreBlocker: true })
    },
    [go, list],
  )
}
