import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { applicationHookIn, storedHook } from './api/hooks.ts'
import { listOrPage, listPageQuery } from './api/list-pages.ts'
import { forEachName, getBlockers } from './api/record-tables.ts'
import { uses } from './api/used-by.ts'
import { anySid, booleanInput, created, flag, instant, name, text } from './api/values.ts'
import { applicationLengths as lengths } from './applications/record.ts'
import { applicationAttention } from './shared/attention-kinds.ts'

/** Applications (docs/reference/platform-api/applications.md). */

export const application = z.object({
  application_sid: z.string(),
  name: z.string(),
  /** Set only for test applications of a service provider. */
  service_provider_sid: z.string().nullable(),
  account_sid: z.string().nullable(),
  call_hook: storedHook.nullable(),
  call_status_hook: storedHook.nullable(),
  messaging_hook: storedHook.nullable(),
  /** JSON text: an array of verbs. */
  app_json: z.string().nullable(),
  speech_synthesis_vendor: z.string(),
  speech_synthesis_language: z.string(),
  speech_synthesis_voice: z.string().nullable(),
  speech_synthesis_label: z.string().nullable(),
  speech_recognizer_vendor: z.string(),
  speech_recognizer_language: z.string(),
  speech_recognizer_label: z.string().nullable(),
  use_for_fallback_speech: flag.nullable(),
  fallback_speech_synthesis_vendor: z.string().nullable(),
  fallback_speech_synthesis_language: z.string().nullable(),
  fallback_speech_synthesis_voice: z.string().nullable(),
  fallback_speech_synthesis_label: z.string().nullable(),
  fallback_speech_recognizer_vendor: z.string().nullable(),
  fallback_speech_recognizer_language: z.string().nullable(),
  fallback_speech_recognizer_label: z.string().nullable(),
  /** Values by variable name. Values of secret variables are masked for callers who cannot edit the application. */
  env_vars: z.record(z.string(), z.unknown()).nullable(),
  created_at: instant,
  record_all_calls: flag,
})
export type Application = z.infer<typeof application>

/**
 * The value types that the platform allows for environment variables
 * (docs/reference/platform-api/applications.md#declaration-of-a-webhook).
 */
const variable = z.union([z.string(), z.number(), z.boolean(), z.null()], {
  error: 'must be text, a number, true, false or null',
})

const optionalText = (member: Exclude<keyof typeof lengths, 'stored'>) => text(lengths[member]).nullish()

const settings = {
  /** Optional for users and keys of an account: it defaults to their own account. */
  account_sid: anySid.nullish(),
  /** JSON text: an array of verbs. An empty text means none. */
  app_json: text(lengths.stored).nullish(),
  speech_synthesis_vendor: text(lengths.speech_synthesis_vendor).optional(),
  speech_synthesis_language: text(lengths.speech_synthesis_language).optional(),
  speech_synthesis_voice: optionalText('speech_synthesis_voice'),
  speech_synthesis_label: optionalText('speech_synthesis_label'),
  speech_recognizer_vendor: text(lengths.speech_recognizer_vendor).optional(),
  speech_recognizer_language: text(lengths.speech_recognizer_language).optional(),
  speech_recognizer_label: optionalText('speech_recognizer_label'),
  use_for_fallback_speech: booleanInput.nullish(),
  fallback_speech_synthesis_vendor: optionalText('fallback_speech_synthesis_vendor'),
  fallback_speech_synthesis_language: optionalText('fallback_speech_synthesis_language'),
  fallback_speech_synthesis_voice: optionalText('fallback_speech_synthesis_voice'),
  fallback_speech_synthesis_label: optionalText('fallback_speech_synthesis_label'),
  fallback_speech_recognizer_vendor: optionalText('fallback_speech_recognizer_vendor'),
  fallback_speech_recognizer_language: optionalText('fallback_speech_recognizer_language'),
  fallback_speech_recognizer_label: optionalText('fallback_speech_recognizer_label'),
  /** Values by variable name. */
  env_vars: z.record(z.string(), variable, { error: 'must be an object' }).nullish(),
  record_all_calls: booleanInput.optional(),
}

const hooksIn = (doing: string) => ({
  call_hook: applicationHookIn('call_hook', doing),
  call_status_hook: applicationHookIn('call_status_hook', doing),
  messaging_hook: applicationHookIn('messaging_hook', doing).nullish(),
})

export const newApplication = z.strictObject({
  name: name(lengths.name),
  ...hooksIn('adding'),
  ...settings,
})
export type NewApplication = z.output<typeof newApplication>

export const applicationChange = z
  .strictObject({ name: name(lengths.name), ...hooksIn('updating') })
  .partial()
  .extend(settings)
export type ApplicationChange = z.output<typeof applicationChange>

/** References to an application that must be removed before it can be deleted or moved to another account. */
export const applicationUses = z.object(forEachName(getBlockers('applications'), uses))
export type ApplicationUses = z.infer<typeof applicationUses>

const byOwner = { of: 'application' } as const

const list = listOrPage(application)

/** `name` matches any part of the name, ignoring case; `%` and `_` are wildcards. */
const listQuery = z.object({ ...listPageQuery, name: z.string().max(255).optional() })

export const ownerListQuery = listQuery.extend({
  /** Only applications with this problem, a Patchbay extension. */
  attention: z.enum(applicationAttention).optional(),
})

export const applicationEndpoints = endpoints({
  'GET /Applications': {
    summary: 'List the applications that the caller can access, or a page of them',
    access: { minScope: 'account', owner: 'narrowed' },
    query: listQuery,
    responses: { 200: list },
  },
  'GET /Accounts/:account_sid/Applications': {
    summary: 'List the applications of an account, or a page of them',
    access: { minScope: 'account', owner: { of: 'account' } },
    query: ownerListQuery,
    responses: { 200: list },
  },
  'GET /ServiceProviders/:service_provider_sid/Applications': {
    summary: 'List the applications of the accounts of a service provider, or a page of those that a filter selects',
    access: { minScope: 'account', owner: { of: 'service_provider', members: 'read' } },
    query: ownerListQuery,
    responses: { 200: list },
  },
  'GET /Applications/:application_sid': {
    summary: 'Get an application',
    access: { minScope: 'account', owner: byOwner, errorCode: 'not_found' },
    responses: { 200: application },
  },
  'POST /Applications': {
    summary: 'Create an application; its name is unique within the account',
    access: { minScope: 'account', owner: 'body' },
    body: newApplication,
    responses: { 201: created },
  },
  'PUT /Applications/:application_sid': {
    summary: 'Update an application; absent fields are unchanged, null clears a field',
    access: {
      minScope: 'account',
      owner: byOwner,
      errorCode: { account: 'insufficient_privileges', service_provider: 'insufficient_permissions' },
    },
    updates: { record: 'GET /Applications/:application_sid' },
    body: applicationChange,
    responses: { 204: null },
  },
  'DELETE /Applications/:application_sid': {
    summary: 'Delete an unused application and its webhooks',
    access: {
      minScope: 'account',
      owner: byOwner,
      errorCode: { account: 'application_not_owned', service_provider: 'insufficient_permissions' },
    },
    responses: { 204: null },
  },
  'GET /patchbay/applications/:application_sid/used-by': {
    summary:
      'List the records that block the deletion of an application; records that the caller cannot access are only counted',
    access: { minScope: 'account', owner: byOwner, errorCode: 'not_found' },
    responses: { 200: applicationUses },
  },
})

/** Descriptions of fields for the API documentation. */
export const applicationDescriptions: Descriptions = {
  app_json: 'Verbs as JSON text, which are executed instead of a request to the calling webhook.',
  call_hook: 'Webhook that the platform requests when a call arrives. Its response is a list of verbs.',
  call_routes: 'Call routes that use the application, with their total and the first ones.',
  call_status_hook: 'Webhook that receives call status events.',
  device_calling_accounts:
    'Accounts that use the application for SIP device calls, with their total and the first ones.',
  env_vars: 'Values of the environment variables that the webhooks declare.',
  fallback_speech_recognizer_label: 'Label of the fallback credential for speech recognition.',
  fallback_speech_recognizer_language: 'Language of the fallback for speech recognition.',
  fallback_speech_recognizer_vendor: 'Vendor of the fallback for speech recognition.',
  fallback_speech_synthesis_label: 'Label of the fallback credential for speech synthesis.',
  fallback_speech_synthesis_language: 'Language of the fallback for speech synthesis.',
  fallback_speech_synthesis_vendor: 'Vendor of the fallback for speech synthesis.',
  fallback_speech_synthesis_voice: 'Voice of the fallback for speech synthesis.',
  messaging_hook: 'Webhook that receives text messages.',
  ms_teams_tenants: 'Microsoft Teams tenants that use the application.',
  phone_numbers: 'Phone numbers that use the application, with their total and the first ones.',
  siprec_accounts: 'Accounts that use the application for SIPREC calls, with their total and the first ones.',
  speech_recognizer_label: 'Label of the credential for speech recognition.',
  speech_recognizer_language: 'Language of speech recognition.',
  speech_recognizer_vendor: 'Vendor of speech recognition.',
  speech_synthesis_label: 'Label of the credential for speech synthesis.',
  speech_synthesis_language: 'Language of speech synthesis.',
  speech_synthesis_vendor: 'Vendor of speech synthesis.',
  speech_synthesis_voice: 'Voice of speech synthesis.',
  use_for_fallback_speech: 'Whether the fallback vendors are used if the primary ones fail.',
  voip_carriers: 'Carriers with this default application, with their total and the first ones.',
}
