import { z } from 'zod'
import { accountContents, usedElsewhere } from './accounts.ts'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { hook, hookIn } from './api/hooks.ts'
import { forEachName, getContents } from './api/record-tables.ts'
import { created, name, text } from './api/values.ts'
import { serviceProviderLengths as lengths } from './service-providers/record.ts'

/** Service providers (docs/reference/platform-api/tenants.md#service-providers). */

export const serviceProvider = z.object({
  service_provider_sid: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  root_domain: z.string().nullable(),
  ms_teams_fqdn: z.string().nullable(),
  registration_hook: hook.nullable(),
})
export type ServiceProvider = z.infer<typeof serviceProvider>

const fields = {
  description: text(lengths.description).nullish(),
  root_domain: text(lengths.root_domain).nullish(),
  ms_teams_fqdn: text(lengths.ms_teams_fqdn).nullish(),
  registration_hook: hookIn.optional(),
}
export const newServiceProvider = z.strictObject({ name: name(lengths.name), ...fields })
export const serviceProviderChange = z.strictObject({ name: name(lengths.name).optional(), ...fields })

/**
 * Number of records that a service provider owns directly, by kind. Some prevent its deletion; the others are deleted
 * with it.
 */
export const providerContents = z.object(forEachName(getContents('service_providers'), z.number()))
export type ProviderContents = z.infer<typeof providerContents>

/** Number of records of a service provider and of all its accounts, by kind. */
export const allProviderContents = providerContents.extend(accountContents.shape)
export type AllProviderContents = z.infer<typeof allProviderContents>

const byMembers = { of: 'service_provider', members: 'read' } as const
const byOwner = { of: 'service_provider' } as const

export const serviceProviderEndpoints = endpoints({
  'GET /ServiceProviders': {
    summary: 'List the service providers that the caller can access',
    access: { minScope: 'account', owner: 'narrowed' },
    responses: { 200: z.array(serviceProvider) },
  },
  'POST /ServiceProviders': {
    summary: 'Create a service provider',
    access: { minScope: 'admin', owner: 'none', errorCode: 'provider_creation_requires_admin' },
    body: newServiceProvider,
    responses: { 201: created },
  },
  'GET /ServiceProviders/:service_provider_sid': {
    summary: 'Get a service provider',
    access: { minScope: 'account', owner: byMembers },
    responses: { 200: serviceProvider },
  },
  'PUT /ServiceProviders/:service_provider_sid': {
    summary: 'Update a service provider',
    access: { minScope: 'service_provider', owner: byOwner, errorCode: 'provider_update_forbidden' },
    updates: { record: 'GET /ServiceProviders/:service_provider_sid' },
    body: serviceProviderChange,
    responses: { 204: null },
  },
  'DELETE /ServiceProviders/:service_provider_sid': {
    summary: 'Delete a service provider that has no accounts and no users',
    access: { minScope: 'admin', owner: byOwner, errorCode: 'provider_deletion_requires_admin' },
    lenientSids: true,
    responses: { 204: null },
  },
  'GET /patchbay/service-providers/:service_provider_sid/contents': {
    summary: 'Count the records of a service provider that block its deletion or are deleted with it',
    access: { minScope: 'admin', owner: byOwner },
    responses: { 200: providerContents },
  },
  'GET /patchbay/service-providers/:service_provider_sid/all-contents': {
    summary: 'Count the records of a service provider and of all its accounts, which are deleted with its contents',
    access: { minScope: 'admin', owner: byOwner },
    responses: { 200: allProviderContents },
  },
  'GET /patchbay/service-providers/:service_provider_sid/used-elsewhere': {
    summary: 'List the first records of a service provider and its accounts that records outside of it use',
    access: { minScope: 'admin', owner: byOwner },
    responses: { 200: usedElsewhere },
  },
})

/** Descriptions of fields for the API documentation. */
export const serviceProviderDescriptions: Descriptions = {
  account_limits: 'Number of limits of accounts.',
  account_offers: 'Number of offers for accounts.',
  account_static_ips: 'Number of static IP addresses of accounts.',
  account_subscriptions: 'Number of subscriptions of accounts.',
  accounts: 'Number of accounts.',
  api_keys: 'API keys or their number.',
  call_routes: 'Number of call routes.',
  clients: 'Number of SIP clients.',
  dns_records: 'Number of DNS records.',
  kind: 'Kind of the record that is used, which is service_provider if others name the provider itself.',
  lcrs: 'Number of outbound routings.',
  ms_teams_fqdn: 'Domain name of the SBC for Microsoft Teams Direct Routing.',
  ms_teams_tenants: 'Number of Microsoft Teams tenants.',
  phone_numbers: 'Number of phone numbers.',
  registration_hook: 'Webhook that authenticates SIP devices when they register.',
  sbc_addresses: 'Number of SBC addresses.',
  service_provider_limits: 'Number of limits of the service provider.',
  speech_credentials: 'Number of speech services.',
  used_by: 'Kind of the records that use it.',
  users: 'Number of users.',
  voip_carriers: 'Number of carriers.',
}
