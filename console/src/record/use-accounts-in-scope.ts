import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { queryClient } from '../api/query-client.ts'
import { accountsQuery, meQuery } from '../api/shared-queries.ts'
import { likelyProvider, prefetchWithin } from '../lazy/prefetch.ts'
import { useProviderSid } from '../session/current-provider.ts'
import { requiredSession } from '../session/session.ts'

/** The accounts that the user can access: those of the current service provider, or the user's own. */

export interface AccountSummary {
  account_sid: string
  name: string
  sip_realm: string | null
}

const isOfAccount = (): boolean => requiredSession().actor.scope === 'account'

/** Returns the accounts that the user can access. For an account user it is only their own. */
export const useKnownAccounts = () => {
  const service_provider_sid = useProviderSid()
  const own = useQuery({ ...meQuery, enabled: isOfAccount() })
  const all = useQuery({ ...accountsQuery(service_provider_sid), enabled: !isOfAccount() })
  const me = own.data?.account
  const data = useMemo((): readonly AccountSummary[] | undefined => {
    if (!me?.account_sid) return all.data
    return [{ account_sid: me.account_sid, name: me.name ?? '', sip_realm: me.sip_realm }]
  }, [me, all.data])
  const { error, isLoading, refetch } = isOfAccount() ? own : all
  return { data, error, isLoading, refetch }
}

/** Starts to read the accounts before the screen renders. */
export const readKnownAccounts = (): Promise<unknown> =>
  prefetchWithin(async () =>
    isOfAccount()
      ? queryClient.ensureQueryData(meQuery)
      : queryClient.ensureQueryData(accountsQuery(await likelyProvider())),
  )

/** Returns the rows that belong to accessible accounts, each with its account. */
export const useJoinAccounts = <Row extends { account_sid: string }>(query: UseQueryResult<Row[]>) => {
  const accounts = useKnownAccounts()
  const data = useMemo(() => {
    if (query.data === undefined || accounts.data === undefined) return undefined
    const accountsBySid = new Map(accounts.data.map((account) => [account.account_sid, account]))
    return query.data.flatMap((row) => {
      const account = accountsBySid.get(row.account_sid)
      return account ? [{ ...row, account }] : []
    })
  }, [query.data, accounts.data])
  const refetch: typeof query.refetch = async (...how) => {
    if (accounts.error) await accounts.refetch()
    return query.refetch(...how)
  }
  return { ...query, data, error: query.error ?? accounts.error, refetch }
}
