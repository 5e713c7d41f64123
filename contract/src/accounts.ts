import { z } from 'zod'
import { accountLengths as lengths } from './accounts/record.ts'
import { type Descriptions, endpoints, providerAccess } from './api/endpoint.ts'
import { hook, hookIn } from './api/hooks.ts'
import { forEachName, getContents, getMemberBlockers } from './api/record-tables.ts'
import { uses } from './api/used-by.ts'
import { booleanInput, created, flag, instant, instantInput, name, sid, text } from './api/values.ts'
import { bucketCredential, bucketCredentialIn, bucketTestOutcome } from './recording-storage.ts'
import { recordFormats } from './recordings/storage.ts'
import { isSipRealm } from './sip-realms/realm.ts'

/** Accounts (docs/reference/platform-api/tenants.md#accounts). */

export const planTypes = ['trial', 'free', 'paid'] as const

/** Stored settings of a service that Patchbay does not use. The secret is masked. */
export const subspaceMembers = {
  subspace_client_id: z.string().nullable(),
  subspace_client_secret: z.string().nullable(),
  subspace_sip_teleport_id: z.string().nullable(),
  /** JSON text. */
  subspace_sip_teleport_destinations: z.string().nullable(),
}

export const account = z.object({
  account_sid: z.string(),
  name: z.string(),
  sip_realm: z.string().nullable(),
  service_provider_sid: z.string(),
  root_domain: z.string().nullable(),
  device_calling_application_sid: z.string().nullable(),
  siprec_hook_sid: z.string().nullable(),
  is_active: flag,
  created_at: instant,
  plan_type: z.enum(planTypes),
  stripe_customer_id: z.string().nullable(),
  /** Unmasked for callers who can edit the account, otherwise masked. */
  webhook_secret: z.string(),
  disable_cdrs: flag,
  trial_end_date: instant.nullable(),
  deactivated_reason: z.string().nullable(),
  device_to_call_ratio: z.number(),
  record_all_calls: flag,
  record_format: z.string(),
  bucket_credential: bucketCredential.nullable(),
  enable_debug_log: flag,
  ...subspaceMembers,
  registration_hook: hook.nullable(),
  queue_event_hook: hook.nullable(),
})
export type Account = z.infer<typeof account>

/** An empty text means no realm. Upper case is converted to lower case. */
export const sipRealm = text(lengths.sip_realm)
  .transform((realm) => realm.trim().toLowerCase())
  .refine((realm) => realm === '' || isSipRealm(realm), { error: 'must be a domain name such as sip.example.com' })
  .transform((realm) => (realm === '' ? null : realm))

const settings = {
  sip_realm: sipRealm.nullish(),
  registration_hook: hookIn.optional(),
  queue_event_hook: hookIn.optional(),
  device_calling_application_sid: sid.nullish(),
  siprec_hook_sid: sid.nullish(),
  is_active: booleanInput.optional(),
  plan_type: z.enum(planTypes, { error: 'must be trial, free or paid' }).optional(),
  disable_cdrs: booleanInput.optional(),
  trial_end_date: instantInput('1000-01-01T00:00:00Z', '9999-12-31T23:59:59Z').nullish(),
  deactivated_reason: text(lengths.deactivated_reason).nullish(),
  device_to_call_ratio: z.int({ error: 'must be a whole number' }).min(0).max(1000).optional(),
  record_all_calls: booleanInput.optional(),
  record_format: z.enum(recordFormats, { error: 'must be mp3 or wav' }).optional(),
  enable_debug_log: booleanInput.optional(),
  subspace_client_id: text(lengths.subspace).nullish(),
  subspace_client_secret: text(lengths.subspace).nullish(),
  subspace_sip_teleport_id: text(lengths.subspace).nullish(),
  subspace_sip_teleport_destinations: text(lengths.subspace).nullish(),
}

export const newAccount = z.strictObject({
  name: name(lengths.name),
  service_provider_sid: sid.nullish(),
  ...settings,
  /** Ignored, because the server generates the secret. Accepted for API compatibility. */
  webhook_secret: z.unknown().optional(),
})
export type NewAccount = z.output<typeof newAccount>

export const accountChange = z.strictObject({
  name: name(lengths.name).optional(),
  ...settings,
  webhook_secret: text(lengths.webhook_secret).min(1, { error: 'must not be empty' }).optional(),
  bucket_credential: bucketCredentialIn.nullish(),
})
export type AccountChange = z.output<typeof accountChange>

/**
 * Number of records, by kind, that are deleted together with an account. Child records are not counted: gateways of a
 * carrier, routes of an LCR, webhooks of an application.
 */
export const accountContents = z.object(forEachName(getContents('accounts'), z.number()))
export type AccountContents = z.infer<typeof accountContents>

/**
 * Records that prevent the deletion of an account. The console asks everyone to remove them first. The server enforces
 * this for users and keys of the account only (docs/reference/differences-from-jambonz.md), because programs of
 * administrators and providers rely on the cascade of jambonz.
 */
export const accountBlockers = z.object(forEachName(getMemberBlockers(), uses))
export type AccountBlockers = z.infer<typeof accountBlockers>

/**
 * Records of an account that records outside of it use, such as a carrier in the routing of its provider. They block the
 * deletion of the account for everyone. `used_by` is the kind of the others.
 */
export const usedElsewhere = z.array(
  z.object({ kind: z.string(), sid: z.string(), name: z.string(), used_by: z.string() }),
)
export type UsedElsewhere = z.infer<typeof usedElsewhere>

const byOwner = { of: 'account' } as const

/** Asks whether another account than `except` has this name or this SIP realm. */
const lookup = z.object({
  service_provider_sid: sid.optional(),
  name: z.string().max(lengths.name).optional(),
  sip_realm: z.string().max(lengths.sip_realm).optional(),
  except: sid.optional(),
})

export const accountEndpoints = endpoints({
  'GET /Accounts': {
    summary: 'List the accounts that the caller can access',
    access: { minScope: 'account', owner: 'narrowed' },
    responses: { 200: z.array(account) },
  },
  'GET /ServiceProviders/:service_provider_sid/Accounts': {
    summary: 'List the accounts of a service provider',
    access: { minScope: 'account', owner: { of: 'service_provider', members: 'read', allowUnknown: true } },
    responses: { 200: z.array(account) },
  },
  'POST /Accounts': {
    summary: 'Create an account',
    access: { minScope: 'service_provider', owner: 'body', errorCode: 'insufficient_permissions' },
    body: newAccount,
    responses: { 201: created },
  },
  'GET /patchbay/accounts/taken': {
    summary: 'Check whether an account name or a SIP realm is in use; rate-limited',
    access: { minScope: 'account', owner: 'narrowed' },
    query: lookup,
    responses: { 200: z.object({ name: z.boolean(), sip_realm: z.boolean() }) },
  },
  'GET /Accounts/:account_sid': {
    summary: 'Get an account',
    access: { minScope: 'account', owner: byOwner },
    responses: { 200: account },
  },
  'PUT /Accounts/:account_sid': {
    summary: 'Update an account; absent fields are unchanged, null clears a field',
    access: { minScope: 'account', owner: byOwner },
    updates: { record: 'GET /Accounts/:account_sid' },
    body: accountChange,
    responses: { 204: null },
  },
  'DELETE /Accounts/:account_sid': {
    summary: 'Delete an account and all its records',
    access: { minScope: 'account', owner: byOwner, allowSuspended: true },
    // Hosted accounts only: the account's own users confirm the deletion with their password.
    body: z.strictObject({ password: text(1024).optional() }).optional(),
    responses: { 204: null },
  },
  'GET /patchbay/accounts/:account_sid/contents': {
    summary: 'Count the records that are deleted with an account',
    access: { minScope: 'account', owner: byOwner },
    responses: { 200: accountContents },
  },
  'POST /Accounts/:account_sid/BucketCredentialTest': {
    summary: 'Test a storage for recordings by writing, reading, and deleting an object; rate-limited',
    access: { minScope: 'account', owner: byOwner },
    body: bucketCredentialIn,
    responses: { 200: bucketTestOutcome },
  },
  'POST /patchbay/service-providers/:service_provider_sid/bucket-credential-test': {
    summary: 'Test a storage for the recordings of an account that is not created yet; rate-limited',
    access: providerAccess,
    body: bucketCredentialIn,
    responses: { 200: bucketTestOutcome },
  },
  'GET /patchbay/accounts/:account_sid/blockers': {
    summary: 'List the records that block the deletion of an account',
    access: { minScope: 'account', owner: byOwner },
    responses: { 200: accountBlockers },
  },
  'GET /patchbay/accounts/:account_sid/used-elsewhere': {
    summary: 'List the first records of an account that records outside of it use, which blocks its deletion',
    access: { minScope: 'account', owner: byOwner },
    responses: { 200: usedElsewhere },
  },
  'GET /Accounts/:account_sid/WebhookSecret': {
    summary: 'Get the webhook signing secret; regenerate=true creates a new one',
    access: { minScope: 'account', owner: byOwner },
    query: z.object({ regenerate: z.enum(['true', 'false', ''], { error: 'must be true or false' }).optional() }),
    writesWhen: 'regenerate',
    responses: { 200: z.object({ webhook_secret: z.string() }) },
  },
})

/** Descriptions of fields for the API documentation. */
export const accountDescriptions: Descriptions = {
  account_limits: 'Number of limits of the account.',
  account_offers: 'Number of offers for the account.',
  account_static_ips: 'Number of static IP addresses of the account.',
  account_subscriptions: 'Number of subscriptions of the account.',
  applications: 'Number of applications, or the applications that block the deletion.',
  bucket_credential: 'Storage for recordings with its credentials. Secrets are masked in responses.',
  call_routes: 'Number of call routes.',
  clients: 'Number of SIP clients.',
  connection_string: 'Connection string of Azure Blob Storage.',
  deactivated_reason: 'Why the account is inactive.',
  device_calling_application_sid: 'SID of the application for SIP device calls.',
  device_to_call_ratio: 'Registered devices per simultaneous call.',
  disable_cdrs: 'Whether the platform writes no call records.',
  dns_records: 'Number of DNS records.',
  enable_debug_log: 'Whether the platform logs calls of the account in full detail.',
  endpoint: 'URL of an S3 compatible storage.',
  except: 'SID of the account that the check ignores.',
  Key: 'Name of the tag.',
  kind: 'Kind of the record.',
  ms_teams_tenants: 'Number of Microsoft Teams tenants, or those that block the deletion.',
  phone_numbers: 'Number of phone numbers, or those that block the deletion.',
  plan_type: 'Plan: trial, free, or paid.',
  queue_event_hook: 'Webhook that receives queue events.',
  record_format: 'Format of recordings: mp3 or wav.',
  siprec_hook_sid: 'SID of the application for SIPREC calls.',
  subspace_client_id: 'Unused setting of the Subspace service.',
  subspace_client_secret: 'Unused setting of the Subspace service.',
  subspace_sip_teleport_destinations: 'Unused setting of the Subspace service.',
  subspace_sip_teleport_id: 'Unused setting of the Subspace service.',
  tags: 'Tags of stored recordings.',
  trial_end_date: 'End of the trial period.',
  used_by: 'Kind of the records outside of the account that use this one.',
  Value: 'Value of the tag.',
}
