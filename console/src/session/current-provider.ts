import type { ServiceProvider } from '@patchbay/contract/service-providers'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { providersQuery } from '../api/shared-queries.ts'
import { requiredSession } from './session.ts'
import { stored } from './storage.ts'

/** The current service provider: the last choice of an admin, or the provider of any other user. */

const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Selects a service provider and drops the account filter, which belongs to the previous one. */
export const chooseProvider = (service_provider_sid: string): void => {
  stored.activeServiceProvider.write(service_provider_sid)
  stored.accountFilter.clear()
  for (const listener of listeners) listener()
}

/**
 * Returns the current provider among `providers`.
 * @param chosen SID of the last choice, for admins
 * @param own SID of the user's own provider, which takes precedence
 */
export const findCurrentProvider = (
  providers: readonly ServiceProvider[],
  chosen: string | null,
  own: string | null,
): ServiceProvider | undefined =>
  providers.find(({ service_provider_sid }) => service_provider_sid === (own ?? chosen)) ?? providers[0]

const byName = (a: ServiceProvider, b: ServiceProvider) => a.name.localeCompare(b.name)

/** Returns the service providers that the user can access, sorted by name, and the current one. */
export const useProviders = (): { providers: ServiceProvider[]; current: ServiceProvider | undefined } => {
  const { data } = useSuspenseQuery(providersQuery)
  const chosen = useSyncExternalStore(subscribe, () => stored.activeServiceProvider.read())
  const providers = [...data].sort(byName)
  return { providers, current: findCurrentProvider(providers, chosen, requiredSession().actor.service_provider_sid) }
}

/** Returns the current provider. Throws outside the app shell, which loads the providers before it renders. */
export const useProviderSid = (): string => {
  const { current } = useProviders()
  if (current === undefined) throw new Error('no service provider')
  return current.service_provider_sid
}
