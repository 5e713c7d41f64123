import { z } from 'zod'
import { accountAccess, type Descriptions, endpoints } from './api/endpoint.ts'
import { uses } from './api/used-by.ts'
import { anySid, booleanInput, created, flag, instant, name, text } from './api/values.ts'
import { speechAttention } from './shared/attention-kinds.ts'
import { vendors } from './speech/catalogue.ts'
import { speechCredentialLengths as lengths } from './speech-credentials/record.ts'

/**
 * Credentials for speech synthesis and recognition services (docs/reference/platform-api/speech.md#speech-credentials).
 */

/** Names of all vendor-specific members, over all vendors. */
const memberNames = [
  ...new Set(vendors.flatMap(({ parts }) => parts.filter(({ kind }) => kind !== 'question').map((part) => part.name))),
].toSorted()

/** Values keep the type in which they are stored, because other components write flags as true, 1, or "1". */
const member = z.union([z.string(), z.number(), z.boolean(), z.null()])

const membersOut = Object.fromEntries(memberNames.map((each) => [each, member.optional()]))

const memberIn = z
  .union([text(lengths.member), z.number(), z.boolean(), z.null()], { error: 'must be text, a number or a flag' })
  .optional()

const membersIn = Object.fromEntries(memberNames.map((each) => [each, memberIn]))

export const speechCredential = z.object({
  speech_credential_sid: z.string(),
  service_provider_sid: z.string().nullable(),
  /** Null if the service provider owns the credential and shares it with all of its accounts. */
  account_sid: z.string().nullable(),
  /** Custom vendors have the form `custom:<name>`. */
  vendor: z.string(),
  use_for_tts: flag.nullable(),
  use_for_stt: flag.nullable(),
  last_used: instant.nullable(),
  last_tested: instant.nullable(),
  tts_tested_ok: flag.nullable(),
  stt_tested_ok: flag.nullable(),
  created_at: instant,
  label: z.string().nullable(),
})

/** Also contains the vendor-specific members, which the vendor's descriptor defines. */
export type SpeechCredential = z.infer<typeof speechCredential>

/**
 * Secrets are masked, and omitted for callers who cannot change them. The cast hides the vendor-specific members, which
 * no type lists.
 */
const credentialResponse = speechCredential
  .extend(membersOut)
  .catchall(member) as unknown as z.ZodType<SpeechCredential>

const settings = {
  use_for_tts: booleanInput.nullish(),
  use_for_stt: booleanInput.nullish(),
  ...membersIn,
}

/**
 * The server drops the members of other vendors for API compatibility, and stores all members of a vendor that Patchbay
 * does not know.
 */
export const newSpeechCredential = z
  .object({
    vendor: name(lengths.vendor),
    label: text(lengths.label).nullish(),
    account_sid: anySid.nullish(),
    service_provider_sid: anySid.nullish(),
    ...settings,
  })
  .catchall(z.unknown())
export type NewSpeechCredential = z.output<typeof newSpeechCredential>

export const onlyUses = 'use_for_tts and use_for_stt are the only updateable fields'

export const speechCredentialChange = z.object(settings)
export type SpeechCredentialChange = z.output<typeof speechCredentialChange>

/** New values of some keys by member. The other keys are unchanged. */
export const newSpeechKeys = z.strictObject({
  keys: z
    .record(name(64), name(lengths.member))
    .refine((keys) => Object.keys(keys).length > 0, { error: 'must contain at least one key' }),
})

/** Changes that a save would make: all settings, as an update sends them, or some keys, or both. */
const speechDraft = z.strictObject({
  settings: speechCredentialChange.optional(),
  keys: newSpeechKeys.shape.keys.optional(),
})
export type SpeechDraft = z.output<typeof speechDraft>

const half = z.object({ status: z.enum(['ok', 'fail', 'not tested']), reason: z.string().optional() })

export const speechTest = z.object({ tts: half, stt: half })
export type SpeechTest = z.infer<typeof speechTest>

const choice = z.object({ value: z.string(), name: z.string() })
export type SpeechChoice = z.infer<typeof choice>

const voices = z.array(choice.extend({ model: z.string().optional() }))

/**
 * A member is absent if the vendor does not support it (docs/reference/platform-api/speech.md#languages-and-voices).
 */
export const speechLists = z.object({
  tts: z.array(choice.extend({ voices })).optional(),
  stt: z.array(choice.extend({ valueMix: z.string().optional(), version: z.string().optional() })).optional(),
  models: z
    .array(
      choice.extend({
        languages: z.array(z.string()).optional(),
        locale: z.string().optional(),
        localeName: z.string().optional(),
      }),
    )
    .optional(),
  sttModels: z.array(choice).optional(),
})
export type SpeechLists = z.infer<typeof speechLists>

const listsQuery = z.object({
  /** Required. The handler checks it to return the error message of the platform's API. */
  vendor: z.string().max(lengths.vendor).optional(),
  label: z.string().max(lengths.label).optional(),
  /** Any text means that no stored credential is used. */
  create_new: z.string().max(64).optional(),
})

/** Applications that refer to this vendor and label as primary or fallback, for synthesis or recognition. */
const speechCredentialUses = z.object({ applications: uses })
export type SpeechCredentialUses = z.infer<typeof speechCredentialUses>

/** Settings that are absent are removed. */
const updates = {
  ignored: [
    'vendor',
    'label',
    'account_sid',
    'service_provider_sid',
    'last_used',
    'last_tested',
    'tts_tested_ok',
    'stt_tested_ok',
  ],
  keepUnchanged: true,
} as const

const ofProvider = { of: 'service_provider', members: 'read' } as const
const byOwner = { of: 'speech_credential' } as const

const byProvider = { minScope: 'account', owner: ofProvider, errorCode: 'insufficient_privileges' } as const
const one = {
  minScope: 'account',
  owner: byOwner,
  errorCode: 'insufficient_privileges',
  hiddenAs: 'not_found',
} as const
/** Account users can also test the credentials that their service provider shares with all accounts. */
const tested = { ...one, owner: { ...byOwner, members: 'read' } } as const

export const speechCredentialEndpoints = endpoints({
  'GET /Accounts/:account_sid/SpeechCredentials': {
    summary: 'List the speech credentials that an account can use: its own and those of its provider for all accounts',
    access: accountAccess,
    responses: { 200: z.array(credentialResponse) },
  },
  'GET /ServiceProviders/:service_provider_sid/SpeechCredentials': {
    summary: 'List the speech credentials of a provider for all accounts; account users also see their own',
    access: byProvider,
    /** With this problem, also those of the accounts of the provider. A Patchbay extension. */
    query: z.object({ attention: z.enum(speechAttention).optional() }),
    responses: { 200: z.array(credentialResponse) },
  },
  'POST /Accounts/:account_sid/SpeechCredentials': {
    summary: 'Add a speech credential of an account',
    access: accountAccess,
    body: newSpeechCredential,
    responses: { 201: created },
  },
  'POST /ServiceProviders/:service_provider_sid/SpeechCredentials': {
    summary: 'Add a speech credential of a provider, or of one of its accounts',
    access: { minScope: 'account', owner: 'body' },
    body: newSpeechCredential,
    responses: { 201: created },
  },
  'GET /Accounts/:account_sid/SpeechCredentials/:speech_credential_sid': {
    summary: 'Get a speech credential',
    access: one,
    responses: { 200: credentialResponse },
  },
  'GET /ServiceProviders/:service_provider_sid/SpeechCredentials/:speech_credential_sid': {
    summary: 'Get a speech credential',
    access: one,
    responses: { 200: credentialResponse },
  },
  'PUT /Accounts/:account_sid/SpeechCredentials/:speech_credential_sid': {
    summary: 'Update a speech credential; absent settings are removed, secrets are kept',
    access: one,
    updates: { record: 'GET /Accounts/:account_sid/SpeechCredentials/:speech_credential_sid', ...updates },
    body: speechCredentialChange,
    responses: { 204: null },
  },
  'PUT /ServiceProviders/:service_provider_sid/SpeechCredentials/:speech_credential_sid': {
    summary: 'Update a speech credential; absent settings are removed, secrets are kept',
    access: one,
    updates: {
      record: 'GET /ServiceProviders/:service_provider_sid/SpeechCredentials/:speech_credential_sid',
      ...updates,
    },
    body: speechCredentialChange,
    responses: { 204: null },
  },
  'DELETE /Accounts/:account_sid/SpeechCredentials/:speech_credential_sid': {
    summary: 'Delete a speech credential, with its custom voices',
    access: one,
    responses: { 204: null },
  },
  'DELETE /ServiceProviders/:service_provider_sid/SpeechCredentials/:speech_credential_sid': {
    summary: 'Delete a speech credential, with its custom voices',
    access: one,
    responses: { 204: null },
  },
  'GET /Accounts/:account_sid/SpeechCredentials/:speech_credential_sid/test': {
    summary: 'Test a speech credential with real requests to its vendor',
    access: tested,
    responses: { 200: speechTest },
  },
  'GET /ServiceProviders/:service_provider_sid/SpeechCredentials/:speech_credential_sid/test': {
    summary: 'Test a speech credential with real requests to its vendor',
    access: tested,
    responses: { 200: speechTest },
  },
  'GET /Accounts/:account_sid/SpeechCredentials/speech/supportedLanguagesAndVoices': {
    summary: 'List the languages, voices, and models of a vendor',
    access: accountAccess,
    query: listsQuery,
    responses: { 200: speechLists },
  },
  'GET /ServiceProviders/:service_provider_sid/SpeechCredentials/speech/supportedLanguagesAndVoices': {
    summary: 'List the languages, voices, and models of a vendor',
    access: byProvider,
    query: listsQuery,
    responses: { 200: speechLists },
  },
  'PUT /patchbay/speech-credentials/:speech_credential_sid/keys': {
    summary: 'Replace keys of a speech credential; the results of its last test are cleared',
    access: one,
    body: newSpeechKeys,
    responses: { 204: null },
  },
  'POST /patchbay/speech-credentials/test': {
    summary: 'Test a speech credential that is not saved yet with real requests to its vendor; rate-limited',
    access: { minScope: 'account', owner: 'body' },
    body: newSpeechCredential,
    responses: { 200: speechTest },
  },
  'POST /patchbay/speech-credentials/:speech_credential_sid/test': {
    summary: 'Test changes of a speech credential that are not saved yet; the stored result stays; rate-limited',
    access: one,
    body: speechDraft,
    responses: { 200: speechTest },
  },
  'GET /patchbay/speech-credentials/:speech_credential_sid/used-by': {
    summary: 'List the applications that use a speech credential',
    access: tested,
    responses: { 200: speechCredentialUses },
  },
})

/** Descriptions of fields for the API documentation. */
export const speechCredentialDescriptions: Descriptions = {
  applications: 'Applications that use the credential, with their total and the first ones.',
  create_new: 'Set to read the lists of a vendor without a stored credential.',
  languages: 'Languages with their voices.',
  last_tested: 'Time of the last test (ISO 8601).',
  locale: 'Language code.',
  localeName: 'Name of the language.',
  model: 'ID of the model.',
  models: 'Models for speech synthesis.',
  settings: 'All settings as they would be saved.',
  stt: 'Speech recognition: the result of the test, or the languages.',
  stt_tested_ok: 'Whether the last test of speech recognition succeeded.',
  sttModels: 'Models for speech recognition.',
  tts: 'Speech synthesis: the result of the test, or the languages.',
  tts_tested_ok: 'Whether the last test of speech synthesis succeeded.',
  use_custom_stt: 'Whether a custom speech model is used.',
  use_custom_tts: 'Whether a custom voice is used.',
  use_for_stt: 'Whether the credential is used for speech recognition.',
  use_for_tts: 'Whether the credential is used for speech synthesis.',
  valueMix: 'Voices of the language.',
  voices: 'Voices of the vendor.',
}
