import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { accountsQuery } from '../api/queries.ts'
import { useProviderSid } from '../app/provider-choice.ts'
import { requiredSession } from '../session/session.ts'
import { stored } from '../session/storage.ts'
import { FilterSelect } from '../ui/filter-bar.tsx'

const few = 10

/** Searching is only worth its weight where there is much to search. */
const SearchSelect = lazy(() => import('../ui/search-select.tsx').then((module) => ({ default: module.SearchSelect })))

/** The account whose things a list shows, for users of more than one account; remembered across lists. */

const useAccounts = () => {
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  return useQuery({ ...accountsQuery(service_provider_sid), enabled: actor.scope !== 'account', staleTime: 30_000 })
}

/** The one in the address, else the one remembered, else the first by name; for account users always their own. */
export const useChosenAccount = (inAddress: string | undefined): string | undefined => {
  const { actor } = requiredSession()
  const accounts = useAccounts()
  if (actor.scope === 'account') return actor.account_sid ?? undefined
  if (accounts.data === undefined) return inAddress
  const remembered = stored.accountFilter.read()
  const known = (account_sid: string | null | undefined) =>
    accounts.data.find((account) => account.account_sid === account_sid)?.account_sid
  return known(inAddress) ?? known(remembered) ?? accounts.data[0]?.account_sid
}

export const AccountFilter = ({
  value,
  onChange,
}: {
  value: string | undefined
  onChange: (account_sid: string) => void
}) => {
  const accounts = useAccounts()
  const options = (accounts.data ?? []).map(({ account_sid, name }) => ({ value: account_sid, label: name }))
  const choose = (account_sid: string) => {
    stored.accountFilter.write(account_sid)
    onChange(account_sid)
  }
  const plain = <FilterSelect label="Account" value={value ?? ''} options={options} onChange={choose} />
  if (options.length <= few) return plain
  return (
    <Suspense fallback={plain}>
      <SearchSelect label="Account" value={value ?? ''} options={options} onChange={choose} />
    </Suspense>
  )
}
