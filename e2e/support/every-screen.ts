import type { RunningServer } from '@patchbay/testkit/servers/server-process'
import { screens } from '../../console/src/app/pages.ts'
import { ownRouting } from '../../console/src/routes/lcr.ts'
import { aCall, anAlert, writeAlerts, writeCalls, writeTracedCall } from './calls.ts'
import { type Api, type Tenant, test } from './test.ts'

/** Creates an LCR of the account with invalid patterns. */
export const makeRouting = async (api: Api, { account_sid, service_provider_sid }: Tenant): Promise<string> => {
  const carrier = await api.send('POST', '/VoipCarriers', { name: 'Carrier', service_provider_sid })
  const voip_carrier_sid: string = carrier.body.sid
  const routes = ['^44', '44', '(', '^44'].map((regex) => ({ regex, lcr_carrier_set_entries: [{ voip_carrier_sid }] }))
  const lcr = { name: 'Routing', account_sid, routes, default_voip_carrier_sid: voip_carrier_sid }
  return (await api.send('POST', '/patchbay/lcrs', lcr)).body.sid
}

/** Returns a name of the greatest length that the platform stores. */
const toLongest = (name: string): string => `${name}, `.repeat(4).slice(0, 64)

/** Records for all screens: a tenant with a record of each kind, and the SIDs in the paths. */
type SeededTenant = Tenant & Readonly<Record<string, string>>

const furnish = async (server: RunningServer, api: Api): Promise<SeededTenant> => {
  const names = { providerName: toLongest('Provider of everything'), accountName: toLongest('Account of everything') }
  const service_provider_sid = await api.provider(names.providerName)
  const account_sid = await api.account(service_provider_sid, { name: names.accountName })
  const tenant = { ...names, service_provider_sid, account_sid }
  await writeCalls(server.intakePort, tenant, [
    aCall({ answered: false, direction: 'outbound', attempted_at: Date.now() - 60_000 }),
  ])
  const { call_sid } = await writeTracedCall(server, tenant)
  await writeAlerts(server.intakePort, tenant, [
    anAlert({ vendor: 'google', target_sid: call_sid }),
    anAlert({ alert_type: 'alert-from-application', message: 'a long word '.repeat(30) }),
  ])
  const { user_sid } = await api.person({ account_sid })
  await api.send('PUT', `/Accounts/${account_sid}`, { sip_realm: `${account_sid}.example.org` })
  const create = async (collection: string, body: object): Promise<string> =>
    (await api.send('POST', `/${collection}`, body)).body.sid
  const voip_carrier_sid = await create('VoipCarriers', { name: toLongest('Trunk'), service_provider_sid })
  await create('SipGateways', { voip_carrier_sid, ipv4: '10.1.1.1', inbound: true })
  await create('SmppGateways', { voip_carrier_sid, ipv4: '10.1.1.2', outbound: true })
  const tenant_fqdn = `${account_sid}.example.org`
  const hook = { url: 'https://apps.example.org/call', username: 'u', password: 'p' }
  const app_json = '[{"verb":"say","text":"Hello"}]'
  const application = { name: toLongest('Reception'), account_sid, call_hook: hook, call_status_hook: hook, app_json }
  return {
    ...tenant,
    call_sid,
    user_sid,
    voip_carrier_sid,
    application_sid: await create('Applications', application),
    phone_number_sid: await create('PhoneNumbers', { number: '15083084809', account_sid, voip_carrier_sid }),
    client_sid: await create('Clients', { account_sid, username: 'reception', password: 'p4ssword' }),
    lcr_sid: await makeRouting(api, tenant),
    speech_credential_sid: await create(`ServiceProviders/${service_provider_sid}/SpeechCredentials`, {
      vendor: 'microsoft',
      api_key: 'k3y-of-a-tenant',
      region: 'westus',
    }),
    alert_destination_sid: await create('patchbay/alert-destinations', {
      name: 'On call',
      kind: 'email',
      target: 'operator@example.org',
      account_sid,
    }),
    ms_teams_tenant_sid: await create('MicrosoftTeamsTenants', { service_provider_sid, account_sid, tenant_fqdn }),
  }
}

/** Tests that change nothing, so that all of a worker share the same records. */
export const seededTest = test.extend<object, { house: SeededTenant }>({
  house: [async ({ server, api }, use) => use(await furnish(server, api)), { scope: 'worker' }],
  tenant: async ({ house }, use) => use(house),
})

/** All declared screens that need a session, except those for a single kind of user. */
export const seededScreens = screens.filter(({ audience, path }) => audience === undefined && path !== ownRouting.path)

/** Returns the address of a screen for the records of the tests. */
export const toAddress = ({ path }: (typeof seededScreens)[number], house: SeededTenant): string =>
  path.replaceAll(/\$(\w+)/g, (_, name: string) => house[name] ?? `the-house-lacks-${name}`)
