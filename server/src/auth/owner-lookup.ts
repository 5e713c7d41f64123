import type { Owner } from '@patchbay/contract/access'
import type { Kysely } from 'kysely'
import type { Database } from '../database/engine.ts'
import { prepared } from '../database/prepared-query.ts'
import type { Tables } from '../database/tables.ts'
import type { OwnerLookups } from '../http/contract-router.ts'
import { type OwnerRows, toScopedOwner, usersWithStatus } from './principals.ts'

/** Finds the owner of a record by SID. Access is decided on it before a handler runs. */
export type Owners = OwnerLookups & OwnerRows

interface OwnedRow {
  account_sid: string | null
  own_provider: string | null
  provider_of_account: string | null
}

export const toOwner = ({ account_sid, own_provider, provider_of_account }: OwnedRow): Owner => ({
  account_sid,
  service_provider_sid: provider_of_account ?? own_provider,
})

/** Alert destinations with their accounts, which determine the provider. */
export const ownedAlertDestinations = (db: Kysely<Tables>) =>
  db
    .selectFrom('patchbay_alert_destinations')
    .leftJoin('accounts', 'accounts.account_sid', 'patchbay_alert_destinations.account_sid')
    .select([
      'patchbay_alert_destinations.account_sid',
      'patchbay_alert_destinations.service_provider_sid as own_provider',
    ])
    .select('accounts.service_provider_sid as provider_of_account')

/** Carriers with the columns that determine the owner. */
export const ownedCarriers = (db: Kysely<Tables>) =>
  db
    .selectFrom('voip_carriers')
    .leftJoin('accounts', 'accounts.account_sid', 'voip_carriers.account_sid')
    .select(['voip_carriers.account_sid', 'voip_carriers.service_provider_sid as own_provider'])
    .select('accounts.service_provider_sid as provider_of_account')

/**
 * Phone numbers with the columns that determine the owner. A number without an account belongs to the provider it
 * names, or else to the provider of its carrier.
 */
export const ownedNumbers = (db: Kysely<Tables>) =>
  db
    .selectFrom('phone_numbers')
    .leftJoin('accounts', 'accounts.account_sid', 'phone_numbers.account_sid')
    .leftJoin('voip_carriers', 'voip_carriers.voip_carrier_sid', 'phone_numbers.voip_carrier_sid')
    .leftJoin('accounts as carrier_accounts', 'carrier_accounts.account_sid', 'voip_carriers.account_sid')
    .select(['phone_numbers.account_sid', 'accounts.service_provider_sid as provider_of_account'])
    .select(({ fn }) =>
      fn
        .coalesce(
          'phone_numbers.service_provider_sid',
          'carrier_accounts.service_provider_sid',
          'voip_carriers.service_provider_sid',
        )
        .as('own_provider'),
    )

export const ownedTeamsTenants = (db: Kysely<Tables>) =>
  db
    .selectFrom('ms_teams_tenants')
    .innerJoin('accounts', 'accounts.account_sid', 'ms_teams_tenants.account_sid')
    .select(['accounts.account_sid', 'accounts.service_provider_sid'])

/**
 * Speech credentials with the columns that determine the owner. A credential without an account belongs to the provider
 * it names.
 */
export const ownedSpeechCredentials = (db: Kysely<Tables>) =>
  db
    .selectFrom('speech_credentials')
    .leftJoin('accounts', 'accounts.account_sid', 'speech_credentials.account_sid')
    .select(['speech_credentials.account_sid', 'speech_credentials.service_provider_sid as own_provider'])
    .select('accounts.service_provider_sid as provider_of_account')

export const createOwnerLookups = ({ db }: Database, missingSchema: ReadonlySet<string>): Owners => {
  const accounts = prepared(db, (account_sid: string) =>
    db
      .selectFrom('accounts')
      .select(['account_sid', 'service_provider_sid', 'is_active'])
      .where('account_sid', '=', account_sid),
  )
  const providers = prepared(db, (service_provider_sid: string) =>
    db
      .selectFrom('service_providers')
      .select('service_provider_sid')
      .where('service_provider_sid', '=', service_provider_sid),
  )
  // A record of an account also belongs to the account's provider, even if the row names another one.
  const applications = prepared(db, (application_sid: string) =>
    db
      .selectFrom('applications')
      .leftJoin('accounts', 'accounts.account_sid', 'applications.account_sid')
      .select(['applications.account_sid', 'applications.service_provider_sid as own_provider'])
      .select('accounts.service_provider_sid as provider_of_account')
      .where('applications.application_sid', '=', application_sid),
  )
  const numbers = prepared(db, (sid: string) => ownedNumbers(db).where('phone_numbers.phone_number_sid', '=', sid))
  const teamsTenants = prepared(db, (sid: string) =>
    ownedTeamsTenants(db).where('ms_teams_tenants.ms_teams_tenant_sid', '=', sid),
  )
  const clients = prepared(db, (client_sid: string) =>
    db
      .selectFrom('clients')
      .innerJoin('accounts', 'accounts.account_sid', 'clients.account_sid')
      .select(['accounts.account_sid', 'accounts.service_provider_sid'])
      .where('clients.client_sid', '=', client_sid),
  )
  const carriers = prepared(db, (sid: string) => ownedCarriers(db).where('voip_carriers.voip_carrier_sid', '=', sid))
  const sipGateways = prepared(db, (sid: string) =>
    ownedCarriers(db)
      .innerJoin('sip_gateways', 'sip_gateways.voip_carrier_sid', 'voip_carriers.voip_carrier_sid')
      .where('sip_gateways.sip_gateway_sid', '=', sid),
  )
  const smppGateways = prepared(db, (sid: string) =>
    ownedCarriers(db)
      .innerJoin('smpp_gateways', 'smpp_gateways.voip_carrier_sid', 'voip_carriers.voip_carrier_sid')
      .where('smpp_gateways.smpp_gateway_sid', '=', sid),
  )
  const speechCredentials = prepared(db, (sid: string) =>
    ownedSpeechCredentials(db).where('speech_credentials.speech_credential_sid', '=', sid),
  )
  const customVoices = prepared(db, (sid: string) =>
    ownedSpeechCredentials(db)
      .innerJoin(
        'google_custom_voices',
        'google_custom_voices.speech_credential_sid',
        'speech_credentials.speech_credential_sid',
      )
      .where('google_custom_voices.google_custom_voice_sid', '=', sid),
  )
  // Outbound routing belongs to the account or provider that the row names. A provider does not own the routing of its
  // accounts (docs/reference/platform-api/outbound-routing.md#visibility-of-routings).
  const lcrRows = () => db.selectFrom('lcr').select(['lcr.account_sid', 'lcr.service_provider_sid'])
  const lcrs = prepared(db, (sid: string) => lcrRows().where('lcr.lcr_sid', '=', sid))
  const lcrRoutes = prepared(db, (sid: string) =>
    lcrRows().innerJoin('lcr_routes', 'lcr_routes.lcr_sid', 'lcr.lcr_sid').where('lcr_routes.lcr_route_sid', '=', sid),
  )
  const lcrEntries = prepared(db, (sid: string) =>
    lcrRows()
      .innerJoin('lcr_routes', 'lcr_routes.lcr_sid', 'lcr.lcr_sid')
      .innerJoin('lcr_carrier_set_entry', 'lcr_carrier_set_entry.lcr_route_sid', 'lcr_routes.lcr_route_sid')
      .where('lcr_carrier_set_entry.lcr_carrier_set_entry_sid', '=', sid),
  )
  const alertDestinations = prepared(db, (sid: string) =>
    ownedAlertDestinations(db).where('patchbay_alert_destinations.alert_destination_sid', '=', sid),
  )
  const users = prepared(db, (user_sid: string) => usersWithStatus(db).where('users.user_sid', '=', user_sid))
  return {
    async account(sid) {
      const [account] = await accounts(sid)
      return account
    },
    async service_provider(sid) {
      const [provider] = await providers(sid)
      return provider && { ...provider, account_sid: null }
    },
    async alert_destination(sid) {
      const [destination] = await alertDestinations(sid)
      return destination && toOwner(destination)
    },
    async user(sid) {
      const [user] = await users(sid)
      return user && toScopedOwner(user)
    },
    async application(sid) {
      const [application] = await applications(sid)
      return application && toOwner(application)
    },
    async phone_number(sid) {
      const [number] = await numbers(sid)
      return number && toOwner(number)
    },
    async voip_carrier(sid) {
      const [carrier] = await carriers(sid)
      return carrier && toOwner(carrier)
    },
    async sip_gateway(sid) {
      const [carrier] = await sipGateways(sid)
      return carrier && toOwner(carrier)
    },
    async smpp_gateway(sid) {
      const [carrier] = missingSchema.has('smpp_gateways') ? [] : await smppGateways(sid)
      return carrier && toOwner(carrier)
    },
    async client(sid) {
      const [client] = await clients(sid)
      return client
    },
    async speech_credential(sid) {
      const [credential] = await speechCredentials(sid)
      return credential && toOwner(credential)
    },
    async google_custom_voice(sid) {
      const [credential] = await customVoices(sid)
      return credential && toOwner(credential)
    },
    async lcr(sid) {
      const [lcr] = await lcrs(sid)
      return lcr
    },
    async lcr_route(sid) {
      const [lcr] = await lcrRoutes(sid)
      return lcr
    },
    async lcr_carrier_set_entry(sid) {
      const [lcr] = await lcrEntries(sid)
      return lcr
    },
    async ms_teams_tenant(sid) {
      const [tenant] = await teamsTenants(sid)
      return tenant
    },
  }
}
