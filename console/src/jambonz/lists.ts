import { newAlertDays } from '@patchbay/contract/new-alerts/record'
import { dayMs } from '@patchbay/contract/shared/durations'
import { type Answer, api } from '../api/client.ts'
import { readApplications } from '../api/read-applications.ts'
import { likelyProvider } from '../lazy/prefetch.ts'
import { readColumns } from '../list/views/stored-columns.ts'
import { stored } from '../session/storage.ts'

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
  (await readApplications({ service_provider_sid: await likelyProvider() }, {}, options)).data.concat()

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

/** Returns when the user last opened the list in this browser, or the time before which no alert is new. ISO 8601. */
const getLastVisit = (): string =>
  stored.alertsLastViewed.read() ?? new Date(Date.now() - newAlertDays * dayMs).toISOString()

/** jambonz has no acknowledgments, and does not remember what a user has seen: all alerts since the last visit count. */
const toNewAlerts = (total: number, since: string) => ({ total, since, until: 'now', newest: null, data: [] })

export const newAlertsInAccount: Answer<'GET /patchbay/accounts/:account_sid/new-alerts'> = async (
  { params: { account_sid } },
  options,
) => {
  const start = getLastVisit()
  const query = { page: '1', count: '1', start }
  const { total } = await api('GET /Accounts/:account_sid/Alerts', { params: { account_sid }, query }, options)
  return toNewAlerts(total, start)
}

export const newAlertsInProvider: Answer<'GET /patchbay/service-providers/:service_provider_sid/new-alerts'> = async (
  { params: { service_provider_sid } },
  options,
) => {
  const start = getLastVisit()
  const { total } = await api(
    'GET /ServiceProviders/:service_provider_sid/Alerts',
    { params: { service_provider_sid }, query: { page: '1', count: '1', start } },
    options,
  )
  return toNewAlerts(total, start)
}

/** The browser remembers the visit, for all accounts. */
export const seenAlerts = (): Promise<undefined> => {
  stored.alertsLastViewed.write(new Date().toISOString())
  return Promise.resolve(undefined)
}

/** The browser keeps the columns. There are no saved views. */
export const listSettings: Answer<'GET /patchbay/list-settings'> = ({ query: { screen } }) =>
  Promise.resolve({ columns: readColumns(screen) ?? null, views: [] })

/** The list itself keeps the columns in the browser. */
export const listColumns: Answer<'PUT /patchbay/list-columns'> = () => Promise.resolve(undefined)
