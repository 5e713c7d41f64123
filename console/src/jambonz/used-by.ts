import type { Uses } from '@patchbay/contract/api/used-by'
import { maxNamed } from '@patchbay/contract/lists/usage-limits'
import type { MsTeamsTenant } from '@patchbay/contract/ms-teams-tenants'
import type { PhoneNumber } from '@patchbay/contract/phone-numbers'
import { maskToken } from '@patchbay/rules/masking/masking'
import { type Answer, api } from '../api/client.ts'
import { pageIn } from '../api/list-page.ts'

/** Finds the records that block a deletion in the lists of the platform's API. */

type ToReference<Row> = (row: Row) => Uses['first'][number]

/** Returns the number of records, and the first ten by name. */
const toUses = <Row>(
  { total, data }: { total: number; data: readonly Row[] },
  toReference: ToReference<Row>,
): Uses => ({ total, first: data.slice(0, maxNamed).map(toReference) })

const toNumber = ({ phone_number_sid, number }: PhoneNumber) => ({ sid: phone_number_sid, name: number })

const toTenant = ({ ms_teams_tenant_sid, tenant_fqdn }: MsTeamsTenant) => ({
  sid: ms_teams_tenant_sid,
  name: tenant_fqdn,
})

const allIn = <Row>(data: readonly Row[]) => ({ total: data.length, data })

const firstPage = { page: '1', page_size: String(maxNamed) }

/** Reads a page of each list, where the API has pages. */
export const accountBlockers: Answer<'GET /patchbay/accounts/:account_sid/blockers'> = async (
  { params: { account_sid } },
  options,
) => {
  const params = { account_sid }
  const [applications, numbers, tenants, keys] = await Promise.all([
    api('GET /Accounts/:account_sid/Applications', { params, query: firstPage }, options),
    api('GET /PhoneNumbers', { query: { account_sid, ...firstPage } }, options),
    api('GET /MicrosoftTeamsTenants', {}, options),
    api('GET /Accounts/:account_sid/ApiKeys', { params }, options),
  ])
  return {
    applications: toUses(pageIn(applications), ({ application_sid, name }) => ({ sid: application_sid, name })),
    phone_numbers: toUses(pageIn(numbers), toNumber),
    // jambonz returns the Microsoft Teams tenants of all accounts.
    ms_teams_tenants: toUses(allIn(tenants.filter((tenant) => tenant.account_sid === account_sid)), toTenant),
    // jambonz also returns tokens that are not masked.
    api_keys: toUses(pageIn(keys), ({ api_key_sid, token }) => ({ sid: api_key_sid, name: maskToken(token) })),
  }
}

const noUses: Uses = { total: 0, first: [] }

/**
 * Finds the accounts and Microsoft Teams tenants that use an application. If phone numbers use it, its deletion fails
 * with a clear message (docs/reference/platform-api/applications.md#delete-an-application). The other kinds are only
 * references that Patchbay adds.
 */
export const applicationUses: Answer<'GET /patchbay/applications/:application_sid/used-by'> = async (
  { params: { application_sid } },
  options,
) => {
  const [accounts, tenants] = await Promise.all([
    api('GET /Accounts', {}, options),
    api('GET /MicrosoftTeamsTenants', {}, options),
  ])
  const accountsBy = (role: 'device_calling_application_sid' | 'siprec_hook_sid') =>
    toUses(allIn(accounts.filter(({ [role]: used }) => used === application_sid)), ({ account_sid, name }) => ({
      sid: account_sid,
      name,
    }))
  return {
    phone_numbers: noUses,
    device_calling_accounts: accountsBy('device_calling_application_sid'),
    siprec_accounts: accountsBy('siprec_hook_sid'),
    ms_teams_tenants: toUses(allIn(tenants.filter((tenant) => tenant.application_sid === application_sid)), toTenant),
    voip_carriers: noUses,
    call_routes: noUses,
  }
}

/** Searches all phone numbers and outbound routings. */
export const carrierUses: Answer<'GET /patchbay/carriers/:voip_carrier_sid/used-by'> = async (
  { params: { voip_carrier_sid } },
  options,
) => {
  const [numbers, lcrs] = await Promise.all([
    api('GET /PhoneNumbers', { query: {} }, options),
    api('GET /Lcrs', {}, options),
  ])
  const routes = await Promise.all(lcrs.map(({ lcr_sid }) => api('GET /LcrRoutes', { query: { lcr_sid } }, options)))
  const usesCarrier = (index: number) =>
    routes[index]?.some(({ lcr_carrier_set_entries }) =>
      lcr_carrier_set_entries.some((entry) => entry.voip_carrier_sid === voip_carrier_sid),
    )
  return {
    phone_numbers: toUses(
      allIn(pageIn(numbers).data.filter((number) => number.voip_carrier_sid === voip_carrier_sid)),
      toNumber,
    ),
    lcrs: toUses(allIn(lcrs.filter((_, index) => usesCarrier(index))), ({ lcr_sid, name }) => ({
      sid: lcr_sid,
      name: name ?? '',
    })),
  }
}
