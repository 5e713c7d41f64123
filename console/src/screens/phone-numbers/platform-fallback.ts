import type { NamedPhoneNumber } from '@patchbay/contract/bulk-phone-numbers'
import { api, type CallOptions } from '../../api/client.ts'
import { pageIn } from '../../api/list-page.ts'
import { accountsQuery } from '../../api/queries.ts'
import { accountQuery } from '../../api/record-queries.ts'
import { queryClient } from '../../api/query-client.ts'
import { requiredSession } from '../../session/session.ts'

/**
 * Adds names to phone numbers if the server returns only SIDs. A number shows the SID of a record that is not on the
 * first page of its list.
 */

const namesStaleTimeMs = 60_000
const firstPage = { page: '1', page_size: '100' }

interface Names {
  carriers: ReadonlyMap<string, string>
  accounts: ReadonlyMap<string, string>
  applications: ReadonlyMap<string, string>
}

const readNames = async (service_provider_sid: string): Promise<Names> => {
  const own = requiredSession().actor.account_sid
  const [accounts, carriers, applications] = await Promise.all([
    own === null
      ? queryClient.fetchQuery({ ...accountsQuery(service_provider_sid), staleTime: namesStaleTimeMs })
      : queryClient.fetchQuery({ ...accountQuery(own), staleTime: namesStaleTimeMs }).then((account) => [account]),
    api('GET /ServiceProviders/:service_provider_sid/VoipCarriers', {
      params: { service_provider_sid },
      query: firstPage,
    }),
    api('GET /Applications', { query: firstPage }),
  ])
  return {
    accounts: new Map(accounts.map(({ account_sid, name }) => [account_sid, name])),
    carriers: new Map(pageIn(carriers).data.map(({ voip_carrier_sid, name }) => [voip_carrier_sid, name])),
    applications: new Map(pageIn(applications).data.map(({ application_sid, name }) => [application_sid, name])),
  }
}

interface UpstreamQuery {
  service_provider_sid: string
  page: string
  page_size: string
  account_sid: string | undefined
  filter: string | undefined
}

export const readWithNames = async (
  query: UpstreamQuery,
  options: CallOptions,
): Promise<{ total: number; data: NamedPhoneNumber[] }> => {
  const { service_provider_sid } = query
  const [answer, names] = await Promise.all([
    api('GET /PhoneNumbers', { query }, options),
    queryClient.fetchQuery({
      queryKey: ['names-of-numbers', service_provider_sid],
      queryFn: () => readNames(service_provider_sid),
      staleTime: namesStaleTimeMs,
    }),
  ])
  const { total, data } = pageIn(answer)
  const named = data.map((number) => ({
    ...number,
    carrier_name: names.carriers.get(number.voip_carrier_sid ?? '') ?? null,
    account_name: names.accounts.get(number.account_sid ?? '') ?? null,
    application_name: names.applications.get(number.application_sid ?? '') ?? null,
  }))
  return { total, data: named }
}
