import { useEffect } from 'react'
import { queryClient } from '../api/query-client.ts'
import { accountsQuery } from '../api/shared-queries.ts'
import { likelyProvider } from '../lazy/prefetch.ts'
import type { AccountSearch } from '../routes/account-search-params.ts'
import { requiredSession } from '../session/session.ts'
import { stored } from '../session/storage.ts'
import { useAccounts, useShowInSwitch } from './account-choice.ts'
import { SearchableFilter } from './searchable-filter.tsx'
import type { ListAddress } from './use-list-search.ts'

/** The account filter of lists, for users who can access several accounts. All lists share the last choice. */

/** The URL parameter for all accounts. Without the parameter, the last choice applies. */
const allParam = 'all'

/** Returns the SID in the URL parameter, or undefined if it means all accounts. */
export const unlessAll = (inAddress: string | undefined): string | undefined =>
  inAddress === allParam ? undefined : inAddress

/** Returns the URL parameter for a choice of the filter. */
export const toAccountParam = (account_sid: string): string => account_sid || allParam

/**
 * Returns, before any data is loaded, the account that will probably be selected, and a promise for the accounts to
 * choose from.
 */
export const likelyAccount = (inAddress: string | undefined) => {
  const { actor } = requiredSession()
  if (actor.scope === 'account')
    return { account_sid: unlessAll(inAddress) ?? actor.account_sid ?? undefined, accounts: undefined }
  const accounts = likelyProvider().then((provider) => queryClient.ensureQueryData(accountsQuery(provider)))
  return { account_sid: inAddress ?? stored.accountFilter.read() ?? undefined, accounts }
}

/** Like `likelyAccount`, for lists that show all accounts by default. The account is undefined if they do. */
export const likelyAccounts = (inAddress: string | undefined) => {
  const { account_sid, accounts } = likelyAccount(inAddress)
  return { account_sid: unlessAll(account_sid) || undefined, accounts }
}

/**
 * Returns the selected account: the one in the URL, or the last choice, or the first by name. Account users get their
 * own.
 */
export const useChosenAccount = (inAddress: string | undefined) => {
  const { actor } = requiredSession()
  const accounts = useAccounts()
  const chosen = (): string | undefined => {
    // The account in the URL is used without a check, because the server rejects one that the user cannot access.
    if (actor.scope === 'account') return unlessAll(inAddress) ?? actor.account_sid ?? undefined
    if (inAddress !== undefined || accounts.data === undefined) return inAddress
    const remembered = stored.accountFilter.read()
    const chosenAccount = accounts.data.find(({ account_sid }) => account_sid === remembered) ?? accounts.data[0]
    return chosenAccount?.account_sid
  }
  const account_sid = chosen()
  return { account_sid, accounts, isFailed: account_sid === undefined && accounts.isError }
}

/** Like `useChosenAccount`, for lists in which "All accounts" can be chosen and is the default. */
export const useChosenAccounts = (inAddress: string | undefined) => {
  const { actor } = requiredSession()
  const accounts = useAccounts()
  if (actor.scope === 'account')
    return { account_sid: unlessAll(inAddress) ?? actor.account_sid ?? undefined, accounts, isKnown: true }
  if (inAddress !== undefined) return { account_sid: unlessAll(inAddress), accounts, isKnown: true }
  const remembered = stored.accountFilter.read()
  const rememberedAccount = accounts.data?.find(({ account_sid }) => account_sid === remembered)
  return { account_sid: rememberedAccount?.account_sid, accounts, isKnown: !remembered || accounts.data !== undefined }
}

interface AccountFilterProps {
  label?: string
  value: string | undefined
  /** Receives an empty text for all accounts. */
  onChange: (account_sid: string) => void
  /** PaletteResults the choice "All accounts". */
  all?: boolean
}

const allAccounts = { value: '', label: 'All accounts' }

/** The account filter. It stores the choice for other lists. */
export const AccountFilter = ({ label = 'Account', value, onChange, all = false }: AccountFilterProps) => {
  const accounts = useAccounts()
  const accountOptions = (accounts.data ?? []).map(({ account_sid, name }) => ({ value: account_sid, label: name }))
  const options = all ? [allAccounts, ...accountOptions] : accountOptions
  const choose = (account_sid: string) => {
    stored.accountFilter.write(account_sid)
    onChange(account_sid)
  }
  useShowInSwitch({ value: value ?? '', all, choose })
  const isDeleted =
    all &&
    value !== undefined &&
    accounts.isSuccess &&
    !accounts.isFetching &&
    !options.some((one) => one.value === value)
  useEffect(() => {
    // The last choice can be an account that no longer exists. A link to such an account stays as it is.
    if (isDeleted && stored.accountFilter.read() === value) choose('')
  })
  return <SearchableFilter label={label} value={value ?? ''} options={options} onChange={choose} />
}

interface AccountListFilterProps<Search extends AccountSearch> {
  label?: string
  address: Pick<ListAddress<Search>, 'search' | 'change'>
}

/** The account filter of a list that shows all accounts by default. */
export const AccountListFilter = <Search extends AccountSearch>({ label, address }: AccountListFilterProps<Search>) => (
  <AccountFilter
    all
    {...(label === undefined ? {} : { label })}
    value={address.search.account}
    onChange={(account) => address.change({ account: account === '' ? undefined : account } as Partial<Search>)}
  />
)
