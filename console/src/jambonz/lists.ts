import { type Answer, api } from '../api/client.ts'
import { likelyProvider } from '../lazy/prefetch.ts'
import { readColumns } from '../list/views/stored-columns.ts'

/** Counts, names, and settings that lists show besides their rows. */

/** Reads and counts the gateways of each carrier. */
export const gatewayCounts: Answer<'GET /patchbay/gateway-counts'> = ({ query }, options) =>
  Promise.all(
    query.voip_carrier_sid.split(',').map(async (voip_carrier_sid) => {
      const gateways = await api('GET /SipGateways', { query: { voip_carrier_sid } }, options)
      const count = (direction: 'inbound' | 'outbound') => gateways.filter((gateway) => gateway[direction]).length
      return { voip_carrier_sid, inbound: count('inbound'), outbound: count('outbound') }
    }),
  )

/** Returns the names of all applications of the current service provider. */
export const tenantApplications: Answer<'GET /patchbay/ms-teams-tenants/applications'> = async (_, options) =>
  api(
    'GET /ServiceProviders/:service_provider_sid/Applications',
    { params: { service_provider_sid: await likelyProvider() } },
    options,
  )

/** Compares with all accounts that the caller can access. */
export const takenNames: Answer<'GET /patchbay/accounts/taken'> = async ({ query }, options) => {
  const { name, sip_realm, except } = query
  const accounts = await api('GET /Accounts', {}, options)
  const others = accounts.filter(({ account_sid }) => account_sid !== except)
  return {
    name: name !== undefined && others.some((other) => other.name.toLowerCase() === name.toLowerCase()),
    sip_realm: sip_realm !== undefined && others.some((other) => other.sip_realm?.toLowerCase() === sip_realm),
  }
}

/** jambonz has no acknowledgments, so that all alerts count. */
const toAlertQuery = (start: string | undefined) => ({ page: '1', count: '1', ...(start ? { start } : {}) })

export const openAlertsInAccount: Answer<'GET /patchbay/accounts/:account_sid/open-alerts'> = async (
  { params: { account_sid }, query },
  options,
) => {
  const { total } = await api(
    'GET /Accounts/:account_sid/Alerts',
    { params: { account_sid }, query: toAlertQuery(query.start) },
    options,
  )
  return { open_count: total }
}

export const openAlertsInProvider: Answer<'GET /patchbay/service-providers/:service_provider_sid/open-alerts'> = async (
  { params: { service_provider_sid }, query },
  options,
) => {
  const { total } = await api(
    'GET /ServiceProviders/:service_provider_sid/Alerts',
    { params: { service_provider_sid }, query: toAlertQuery(query.start) },
    options,
  )
  return { open_count: total }
}

/** The browser keeps the columns. There are no saved views. */
export const listSettings: Answer<'GET /patchbay/list-settings'> = ({ query: { screen } }) =>
  Promise.resolve({ columns: readColumns(screen) ?? null, views: [] })

/** The list itself keeps the columns in the browser. */
export const listColumns: Answer<'PUT /patchbay/list-columns'> = () => Promise.resolve(undefined)
