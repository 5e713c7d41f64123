import type { AccountBlockers } from '@patchbay/contract/accounts'
import { maskToken } from '@patchbay/contract/shared/masking'
import { queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { pageIn } from '../../api/list-page.ts'
import { queryCallOptions } from '../../api/queries.ts'

/** The records that prevent the deletion of an account: a count of each kind, and the names of the first ten. */

const maxListedRecords = 10

/**
 * Collects the blockers from the list endpoints, paged where the API supports it, for a server without the
 * `account-blockers` extension.
 */
const fetchFromLists = async (account_sid: string, options: CallOptions): Promise<AccountBlockers> => {
  const params = { account_sid }
  const page = { page: '1', page_size: String(maxListedRecords) }
  const [applications, numbers, allTenants, keys] = await Promise.all([
    api('GET /Accounts/:account_sid/Applications', { params, query: page }, options),
    api('GET /PhoneNumbers', { query: { account_sid, ...page } }, options),
    api('GET /MicrosoftTeamsTenants', {}, options),
    api('GET /Accounts/:account_sid/ApiKeys', { params }, options),
  ])
  // That server returns the Microsoft Teams tenants of all accounts.
  const tenants = allTenants.filter((tenant) => tenant.account_sid === account_sid)
  const toBlocker = <Row>(
    { total, data }: { total: number; data: readonly Row[] },
    toSidAndName: (row: Row) => [string, string],
  ) => ({
    total,
    first: data.slice(0, maxListedRecords).map((row) => {
      const [sid, name] = toSidAndName(row)
      return { sid, name }
    }),
  })
  return {
    applications: toBlocker(pageIn(applications), ({ application_sid, name }) => [application_sid, name]),
    phone_numbers: toBlocker(pageIn(numbers), ({ phone_number_sid, number }) => [phone_number_sid, number]),
    ms_teams_tenants: toBlocker(pageIn(tenants), (tenant) => [tenant.ms_teams_tenant_sid, tenant.tenant_fqdn]),
    // That server also returns unmasked tokens.
    api_keys: toBlocker(pageIn(keys), ({ api_key_sid, token }) => [api_key_sid, maskToken(token)]),
  }
}

export const accountBlockersQuery = (account_sid: string) =>
  queryOptions({
    queryKey: ['account-blockers', account_sid],
    queryFn: (context) =>
      config().extensions.has('account-blockers')
        ? api('GET /patchbay/accounts/:account_sid/blockers', { params: { account_sid } }, queryCallOptions(context))
        : fetchFromLists(account_sid, queryCallOptions(context)),
    // The blockers are not cached, so that the dialog shows current data.
    staleTime: 0,
    gcTime: 0,
  })
