import type { AccountBlockers } from '@patchbay/contract/accounts'
import { maskToken } from '@patchbay/contract/shared/masking'
import { queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { pageIn } from '../../api/list-page.ts'
import { queryCallOptions } from '../../api/queries.ts'

/** What keeps an account from being deleted: counted by kind, the first ten of each by name. */

const named = 10

/** Of a server that does not count: pages where the wire has them. */
const readFromWire = async (account_sid: string, options: CallOptions): Promise<AccountBlockers> => {
  const params = { account_sid }
  const page = { page: '1', page_size: String(named) }
  const [applications, numbers, allTenants, keys] = await Promise.all([
    api('GET /Accounts/:account_sid/Applications', { params, query: page }, options),
    api('GET /PhoneNumbers', { query: { account_sid, ...page } }, options),
    api('GET /MicrosoftTeamsTenants', {}, options),
    api('GET /Accounts/:account_sid/ApiKeys', { params }, options),
  ])
  // That server answers the tenants of everybody.
  const tenants = allTenants.filter((tenant) => tenant.account_sid === account_sid)
  const blocking = <Row>(
    { total, data }: { total: number; data: readonly Row[] },
    nameOf: (row: Row) => [string, string],
  ) => ({
    total,
    first: data.slice(0, named).map((row) => {
      const [sid, name] = nameOf(row)
      return { sid, name }
    }),
  })
  return {
    applications: blocking(pageIn(applications), ({ application_sid, name }) => [application_sid, name]),
    phone_numbers: blocking(pageIn(numbers), ({ phone_number_sid, number }) => [phone_number_sid, number]),
    ms_teams_tenants: blocking(pageIn(tenants), (tenant) => [tenant.ms_teams_tenant_sid, tenant.tenant_fqdn]),
    // And whole tokens.
    api_keys: blocking(pageIn(keys), ({ api_key_sid, token }) => [api_key_sid, maskToken(token)]),
  }
}

export const accountBlockersQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['account-blockers', account_sid],
    queryFn: (context) =>
      config().extensions.has('account-blockers')
        ? api('GET /patchbay/accounts/:account_sid/blockers', { params: { account_sid } }, queryCallOptions(context))
        : readFromWire(account_sid, queryCallOptions(context)),
    // What stands in the way is looked up when it is asked for.
    staleTime: 0,
    gcTime: 0,
  })
