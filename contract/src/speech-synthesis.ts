import { z } from 'zod'
import { accountAccess, type Bytes, type Descriptions, endpoints } from './api/endpoint.ts'
import { booleanInput } from './api/values.ts'

/** Synthesizes a phrase as a preview of a voice (docs/reference/platform-api/speech.md#synthesis). */

const missing = 'speech_credential_sid, text, language, voice are all required'

const requiredText = (max: number) =>
  z
    .custom<string>((value) => typeof value === 'string' && value !== '', { error: missing, abort: true })
    .refine((value) => value.length <= max, { error: `must be at most ${max} characters long` })
    .meta({ type: 'string', maxLength: max })

export const maxSpokenCharacters = 2000

const phrase = z.strictObject({
  speech_credential_sid: requiredText(64),
  text: requiredText(maxSpokenCharacters),
  language: requiredText(64),
  /** Custom voices have the form `custom_<sid>`. */
  voice: requiredText(512),
  /** For AWS only. */
  engine: z.string().max(32).optional(),
  /** Returns MP3 instead of raw audio. */
  encodingMp3: booleanInput.optional(),
})
export type SpokenPhrase = z.output<typeof phrase>

const spoken = z.custom<Bytes>((value) => value instanceof Object && 'content' in value)

export const speechSynthesisEndpoints = endpoints({
  'POST /Accounts/:account_sid/TtsCache/Synthesize': {
    summary: 'Synthesize a phrase; raw audio is 16-bit little-endian mono at 8,000 Hz',
    access: accountAccess,
    body: phrase,
    responses: { 200: spoken },
    bytes: ['audio/mpeg', 'audio/wav', 'application/octet-stream'],
  },
})

/** Descriptions of fields for the API documentation. */
export const speechSynthesisDescriptions: Descriptions = {
  encodingMp3: 'Whether to return MP3 instead of raw audio.',
  engine: 'Engine of the voice, if the vendor has several.',
  language: 'Language code.',
  voice: 'Voice.',
}
