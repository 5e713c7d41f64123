import { randomUUID } from 'node:crypto'
import { addSbc } from '../resources/platform-addresses/store.ts'
import { fillApplications } from './applications.ts'
import type { CallOwner } from './call-records.ts'
import type { DemoCarriers } from './carriers.ts'
import type { DemoContext } from './demo-context.ts'
import { deviceNames, teamsDomain, toRealm } from './names.ts'
import type { DemoAnswerer } from './numbers.ts'

/** Number of accounts with Microsoft Teams. The last of them has no application. */
const teamsCustomers = 3

export interface DemoAccount extends CallOwner {
  name: string
  sip_realm: string | null
}

/**
 * Creates everything that handles an account's calls: applications and their webhooks, numbers, devices, and the Teams
 * tenant.
 */
export const fillTelephony = async (
  { services: { write, encryption } }: DemoContext,
  { account_sid, service_provider_sid, name: accountName, sip_realm }: DemoAccount,
  carriers: DemoCarriers,
  position: number,
): Promise<DemoAnswerer> => {
  return write('patchbay', async ({ trx }) => {
    const applications = await fillApplications({ trx }, encryption, { account_sid, name: accountName }, position)
    const numbers = applications.map(({ application_sid }, index) => ({
      phone_number_sid: randomUUID(),
      account_sid,
      application_sid,
      voip_carrier_sid: carriers.get('Atlantic SIP') ?? null,
      number: `1508555${String(position * 10 + index).padStart(4, '0')}`,
    }))
    await trx.insertInto('phone_numbers').values(numbers).execute()
    const devices = position === 0 ? deviceNames : sip_realm === null ? [] : deviceNames.slice(0, 1)
    const clients = devices.map((username, index) => ({
      client_sid: randomUUID(),
      account_sid,
      username,
      password: encryption.encrypt(randomUUID()),
      is_active: index === 2 ? (0 as const) : (1 as const),
      allow_direct_queue_calling: index === 1 ? (0 as const) : (1 as const),
    }))
    if (clients.length > 0) await trx.insertInto('clients').values(clients).execute()
    const [first] = applications
    const application_sid = first?.application_sid ?? null
    if (position < teamsCustomers)
      await trx
        .insertInto('ms_teams_tenants')
        .values({
          ms_teams_tenant_sid: randomUUID(),
          account_sid,
          service_provider_sid,
          tenant_fqdn: toRealm(accountName, teamsDomain),
          application_sid: position === teamsCustomers - 1 ? null : application_sid,
        })
        .execute()
    await trx
      .updateTable('accounts')
      .set({ device_calling_application_sid: application_sid })
      .where('account_sid', '=', account_sid)
      .execute()
    return { account_sid, application_sid }
  })
}

/** Creates the addresses of the SBCs. */
export const fillAddresses = async ({ services: { write } }: DemoContext): Promise<void> => {
  for (const ipv4 of ['203.0.113.10', '203.0.113.11'])
    await write('patchbay', (tx) => addSbc(tx, { ipv4, port: 5060, tls_port: 5061, wss_port: 8443 }))
}
