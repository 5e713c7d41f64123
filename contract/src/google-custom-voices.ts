import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { anySid, booleanInput, created, flag, name, requiredSid, text } from './api/values.ts'
import { googleCustomVoiceLengths as lengths, reportedUsages } from './google-custom-voices/record.ts'

/**
 * Custom voices at Google, stored with a speech credential
 * (docs/reference/platform-api/speech.md#google-custom-voices). Applications refer to them as `custom_{sid}`.
 */

export const googleCustomVoice = z.object({
  google_custom_voice_sid: z.string(),
  speech_credential_sid: z.string(),
  name: z.string(),
  /** Empty if the voice uses a cloning key instead. */
  model: z.string(),
  reported_usage: z.enum(reportedUsages).nullable(),
  use_voice_cloning_key: flag.nullable(),
  /** The first hundred characters and '...'. Absent from lists if null. */
  voice_cloning_key: z.string().nullable().optional(),
  /** Always null: Patchbay does not store the file from which the key was read. */
  voice_cloning_key_file: z.null(),
})
export type GoogleCustomVoice = z.infer<typeof googleCustomVoice>

const settings = {
  model: text(lengths.model).nullish(),
  reported_usage: z.enum(reportedUsages, { error: `must be one of ${reportedUsages.join(', ')}` }).nullish(),
  use_voice_cloning_key: booleanInput.nullish(),
  voice_cloning_key: text(lengths.voice_cloning_key).nullish(),
  /** Accepted because clients send back what they have read. Files are uploaded to VoiceCloningKey. */
  voice_cloning_key_file: z.null().optional(),
}

export const newGoogleCustomVoice = z.strictObject({
  speech_credential_sid: requiredSid('missing speech_credential_sid'),
  name: name(lengths.name),
  ...settings,
})
export type NewGoogleCustomVoice = z.output<typeof newGoogleCustomVoice>

export const googleCustomVoiceChange = z.strictObject({
  speech_credential_sid: anySid.optional(),
  name: name(lengths.name).optional(),
  ...settings,
})
export type GoogleCustomVoiceChange = z.output<typeof googleCustomVoiceChange>

/** Without a credential, the query returns the voices of an account or service provider for a label. */
const voicesQuery = z.object({
  speech_credential_sid: anySid.optional(),
  account_sid: anySid.optional(),
  service_provider_sid: anySid.optional(),
  label: z.string().max(64).optional(),
})

/** A text of about 100 kB. */
const keyFile = z.object({
  file: z
    .file({ error: (issue) => (issue.input === undefined ? undefined : 'must be a file') })
    .min(1, { error: 'must not be empty' })
    .max(lengths.voice_cloning_key, { error: `must be at most ${lengths.voice_cloning_key} bytes long` }),
})

const byVoice = { of: 'google_custom_voice' } as const

const changed = { minScope: 'account', owner: byVoice, errorCode: 'insufficient_privileges' } as const
/** Account users can also read the voices that their service provider shares with all accounts. */
const read = { ...changed, owner: { ...byVoice, members: 'read' } } as const

export const googleCustomVoiceEndpoints = endpoints({
  'GET /GoogleCustomVoices': {
    summary: 'List the custom voices of a credential, or those of an account or provider under a label',
    access: { minScope: 'account', owner: 'body' },
    query: voicesQuery,
    responses: { 200: z.array(googleCustomVoice) },
  },
  'POST /GoogleCustomVoices': {
    summary: 'Add a custom voice to a credential',
    access: { minScope: 'account', owner: 'body' },
    body: newGoogleCustomVoice,
    bodyLimit: 4 * lengths.voice_cloning_key,
    responses: { 201: created },
  },
  'GET /GoogleCustomVoices/:google_custom_voice_sid': {
    summary: 'Get a custom voice',
    access: read,
    responses: { 200: googleCustomVoice },
  },
  'PUT /GoogleCustomVoices/:google_custom_voice_sid': {
    summary: 'Update a custom voice',
    access: changed,
    updates: { record: 'GET /GoogleCustomVoices/:google_custom_voice_sid' },
    body: googleCustomVoiceChange,
    bodyLimit: 4 * lengths.voice_cloning_key,
    responses: { 204: null },
  },
  'DELETE /GoogleCustomVoices/:google_custom_voice_sid': {
    summary: 'Delete a custom voice',
    access: changed,
    responses: { 204: null },
  },
  'POST /GoogleCustomVoices/:google_custom_voice_sid/VoiceCloningKey': {
    summary: 'Upload the cloning key of a custom voice',
    access: changed,
    body: keyFile,
    upload: true,
    bodyLimit: lengths.voice_cloning_key + 10_000,
    responses: { 204: null },
  },
})

/** Descriptions of fields for the API documentation. */
export const googleCustomVoiceDescriptions: Descriptions = {
  file: 'Content of the file.',
  model: 'Model of the custom voice.',
  reported_usage: 'Usage that is reported to Google: REPORTED_USAGE_UNSPECIFIED, REALTIME, or OFFLINE.',
  use_voice_cloning_key: 'Whether the voice is defined by a cloning key.',
  voice_cloning_key: 'Cloning key of the voice.',
  voice_cloning_key_file: 'Always null. The key is uploaded separately.',
}
