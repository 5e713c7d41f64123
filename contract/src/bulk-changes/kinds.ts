import { z } from 'zod'
import { accountChange } from '../accounts.ts'
import { alertDestinationChange } from '../alert-destinations.ts'
import type { Scope } from '../api/access.ts'
import { applicationChange } from '../applications.ts'
import { clientChange } from '../clients.ts'
import { msTeamsTenantChange } from '../ms-teams-tenants.ts'
import { phoneNumberChange } from '../phone-numbers.ts'
import { userChange } from '../users.ts'
import { voipCarrierChange } from '../voip-carriers.ts'
import { bulkFields } from './fields.ts'

/** The kinds of records that can be changed in bulk, and the endpoints that change one of them. */

interface BulkKind {
  /** Updates a record. Absent if records of this kind can only be deleted in bulk. */
  update?: `PUT /${string}`
  /** The fields that can have the same value for several records: members of the body of `update`. */
  values?: z.ZodObject
  /** Deletes a record. Absent if records of this kind cannot be deleted in bulk. */
  remove?: `DELETE /${string}`
  /** Deletes a record only in a deletion with contents: their owner as the last record, or a part of the contents. */
  removeCascade?: `DELETE /${string}`
}

/** Returns the schema of some members of a body. */
const pick = <Shape extends z.ZodRawShape, Names extends keyof Shape>(
  schema: z.ZodObject<Shape>,
  fields: Readonly<Record<Names, unknown>>,
): z.ZodObject => z.object(Object.fromEntries(Object.keys(fields).map((name) => [name, schema.shape[name]])))

export const bulkKinds = {
  account: {
    update: 'PUT /Accounts/:account_sid',
    values: pick(accountChange, bulkFields.account),
    removeCascade: 'DELETE /Accounts/:account_sid',
  },
  alert_destination: {
    update: 'PUT /patchbay/alert-destinations/:alert_destination_sid',
    values: pick(alertDestinationChange, bulkFields.alert_destination),
    remove: 'DELETE /patchbay/alert-destinations/:alert_destination_sid',
  },
  api_key: { remove: 'DELETE /ApiKeys/:api_key_sid' },
  application: {
    update: 'PUT /Applications/:application_sid',
    values: pick(applicationChange, bulkFields.application),
    remove: 'DELETE /Applications/:application_sid',
  },
  client: {
    update: 'PUT /Clients/:client_sid',
    values: pick(clientChange, bulkFields.client),
    remove: 'DELETE /Clients/:client_sid',
  },
  lcr: { remove: 'DELETE /Lcrs/:lcr_sid' },
  ms_teams_tenant: {
    update: 'PUT /MicrosoftTeamsTenants/:ms_teams_tenant_sid',
    values: pick(msTeamsTenantChange, bulkFields.ms_teams_tenant),
    remove: 'DELETE /MicrosoftTeamsTenants/:ms_teams_tenant_sid',
  },
  phone_number: {
    update: 'PUT /PhoneNumbers/:phone_number_sid',
    values: pick(phoneNumberChange, bulkFields.phone_number),
    remove: 'DELETE /PhoneNumbers/:phone_number_sid',
  },
  sbc_address: { removeCascade: 'DELETE /Sbcs/:sbc_address_sid' },
  service_provider: { removeCascade: 'DELETE /ServiceProviders/:service_provider_sid' },
  smpp_address: { removeCascade: 'DELETE /Smpps/:smpp_address_sid' },
  // An update of a speech service replaces all of its settings.
  speech_credential: {
    remove: 'DELETE /ServiceProviders/:service_provider_sid/SpeechCredentials/:speech_credential_sid',
  },
  user: {
    update: 'PUT /Users/:user_sid',
    values: pick(userChange, bulkFields.user),
    remove: 'DELETE /Users/:user_sid',
  },
  voip_carrier: {
    update: 'PUT /VoipCarriers/:voip_carrier_sid',
    values: pick(voipCarrierChange, bulkFields.voip_carrier),
    remove: 'DELETE /VoipCarriers/:voip_carrier_sid',
  },
} as const satisfies Readonly<Record<string, BulkKind>>

export type BulkKindName = keyof typeof bulkKinds

export const bulkKindNames = Object.keys(bulkKinds) as [BulkKindName, ...BulkKindName[]]

type BulkKindNamed<Name extends BulkKindName> = (typeof bulkKinds)[Name]

/** The endpoints that bulk changes use. */
export type BulkEndpointKey = {
  [Name in BulkKindName]:
    | Extract<BulkKindNamed<Name>, { update: unknown }>['update']
    | Extract<BulkKindNamed<Name>, { remove: unknown }>['remove']
    | Extract<BulkKindNamed<Name>, { removeCascade: unknown }>['removeCascade']
}[BulkKindName]

/**
 * The kinds of records that can be deleted with their contents, and the scope that this needs. Users and API keys of a
 * narrower scope would delete themselves on the way.
 */
export const cascadeOwners = {
  account: 'service_provider',
  service_provider: 'admin',
} as const satisfies Partial<Record<BulkKindName, Scope>>

export type CascadeOwnerKind = keyof typeof cascadeOwners

/** Returns whether records of a kind can be deleted with their contents. */
export const isCascadeOwner = (kind: string): kind is CascadeOwnerKind => Object.hasOwn(cascadeOwners, kind)

/**
 * The kinds of records that are deleted one by one before their account or service provider, in an order in which each
 * comes after those that refer to it. Users and API keys are the last but the accounts, so that they keep an account or
 * a provider of which something cannot be deleted.
 */
export const cascadeKinds = [
  'phone_number',
  'ms_teams_tenant',
  'client',
  'lcr',
  'voip_carrier',
  'application',
  'speech_credential',
  'alert_destination',
  'sbc_address',
  'smpp_address',
  'user',
  'api_key',
  'account',
] as const satisfies readonly BulkKindName[]

/** Returns what can be done with several records of a kind. */
export const findBulkKind = (name: BulkKindName): BulkKind => bulkKinds[name]
