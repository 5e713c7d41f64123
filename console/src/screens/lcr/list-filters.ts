import type { Lcr } from '@patchbay/contract/lcrs'
import type { AccountSearch } from '../../routes/account-search-params.ts'
import { countText } from '../../ui/format/text.ts'

export const routingFilters = {
  keep: ({ account_sid }: Pick<Lcr, 'account_sid'>, { account }: AccountSearch): boolean =>
    account === undefined || account_sid === account,
  unfiltered: { account: undefined },
}

export const routingName = ({ name }: Pick<Lcr, 'name'>): string => name || 'Unnamed'

/** Formats the number of routes without the default route. */
export const routesText = ({ number_routes }: Pick<Lcr, 'number_routes'>): string => {
  const count = Math.max(0, number_routes - 1)
  return countText(count, count, ['route', 'routes'])
}

interface Named {
  account_sid: string
  name: string
}

/**
 * Returns the routings of a service provider and its accounts, with the name of the owner. Routings without an owner
 * are included for every provider.
 */
export const routingsAround = (
  lcrs: readonly Lcr[],
  service_provider: { service_provider_sid: string; name: string },
  accounts: readonly Named[],
) => {
  const names = new Map(accounts.map(({ account_sid, name }) => [account_sid, name]))
  return lcrs.flatMap((lcr) => {
    const usedBy = ownerText(lcr, service_provider, names)
    return usedBy === undefined ? [] : [{ ...lcr, usedBy }]
  })
}
export type ListedRouting = ReturnType<typeof routingsAround>[number]

const ownerText = (
  { account_sid, service_provider_sid }: Lcr,
  provider: { service_provider_sid: string; name: string },
  accounts: ReadonlyMap<string, string>,
): string | undefined => {
  if (account_sid) return accounts.get(account_sid)
  if (service_provider_sid) return service_provider_sid === provider.service_provider_sid ? provider.name : undefined
  return 'Nobody'
}
