import { accountsQuery, providersQuery } from '../../api/queries.ts'
import { queryClient } from '../../api/query-client.ts'
import type { FoundRecord } from '../../routes/define-screen.ts'
import { lcrsQuery } from './queries.ts'
import { editRouting } from '../../routes/lcr.ts'
import { routingName, routingsAround } from './list-filters.ts'

/** The search reuses lists that were read within the last minute. Edits in this console invalidate those lists. */
const staleTime = 60_000

export const read = async (service_provider_sid: string): Promise<readonly FoundRecord[]> => {
  const [lcrs, accounts, providers] = await Promise.all([
    queryClient.fetchQuery({ ...lcrsQuery, staleTime }),
    queryClient.fetchQuery({ ...accountsQuery(service_provider_sid), staleTime }),
    queryClient.fetchQuery({ ...providersQuery, staleTime }),
  ])
  const provider = providers.find((one) => one.service_provider_sid === service_provider_sid)
  const around = routingsAround(lcrs, { service_provider_sid, name: provider?.name ?? '' }, accounts)
  return around.map((lcr) => ({
    label: routingName(lcr),
    sid: lcr.lcr_sid,
    link: { to: editRouting.path, params: { lcr_sid: lcr.lcr_sid } },
  }))
}
