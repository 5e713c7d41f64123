import { useQuery } from '@tanstack/react-query'
import { useLayoutEffect, useSyncExternalStore } from 'react'
import { accountsQuery } from '../api/shared-queries.ts'
import { useProviderSid } from '../session/current-provider.ts'
import { requiredSession } from '../session/session.ts'
import { stored } from '../session/storage.ts'
import { clearListState } from './list-navigation-state.ts'

/** The account that lists are limited to: one value for the filters of all lists and the switch in the menu. */

/** The account filter of the open list. */
export interface OpenFilter {
  /** Empty for all accounts. */
  value: string
  /** Whether the list can show all accounts. */
  all: boolean
  choose: (account_sid: string) => void
}

let openFilter: OpenFilter | undefined
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const setOpenFilter = (filter: OpenFilter | undefined): void => {
  openFilter = filter
  for (const listener of listeners) listener()
}

/** Lets the switch show and change the account filter of a list while it is open. */
export const useShowInSwitch = (filter: OpenFilter): void => {
  // Without dependencies, because `choose` depends on the other filters of the list.
  useLayoutEffect(() => setOpenFilter(filter))
  useLayoutEffect(() => () => setOpenFilter(undefined), [])
}

/** Returns the account filter of the open list, or undefined if no list with such a filter is open. */
export const useOpenFilter = (): OpenFilter | undefined => useSyncExternalStore(subscribe, () => openFilter)

/** Limits all lists to an account, or to none if it is empty. */
export const chooseAccount = (account_sid: string): void => {
  if (openFilter) return openFilter.choose(account_sid)
  stored.accountFilter.write(account_sid)
  // The filters that lists were left with name the previous account.
  clearListState()
  setOpenFilter(undefined)
}

/** Returns the accounts of the current service provider, for users who can access several. */
export const useAccounts = (isNeeded = true) => {
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const enabled = isNeeded && actor.scope !== 'account'
  return useQuery({ ...accountsQuery(service_provider_sid), enabled, staleTime: 30_000 })
}

/** Returns the name of an account, or undefined while it loads, if it does not exist, or without a SID. */
export const useAccountName = (account_sid: string) => {
  const { data, isPending } = useAccounts(account_sid !== '')
  const name = data?.find((account) => account.account_sid === account_sid)?.name
  return { name, isPending: account_sid !== '' && isPending }
}
