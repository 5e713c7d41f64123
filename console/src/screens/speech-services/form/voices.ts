import type { GoogleCustomVoice } from '@patchbay/contract/google-custom-voices'
import { googleCustomVoiceLengths as lengths } from '@patchbay/contract/google-custom-voices/record'
import { validateCustomVoice } from '@patchbay/rules/speech/custom-voices'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../api/client.ts'
import { queryCallOptions } from '../../../api/shared-queries.ts'
import type { SavePart } from '../../../form/save-in-parts.ts'
import { trimmedText, z } from '../../../zod.ts'

/** Custom voices that are stored with a credential (docs/reference/platform-api/speech.md#google-custom-voices). */

export const voiceShape = z.object({
  /** Empty for a voice that is not stored yet. */
  sid: z.string(),
  name: trimmedText(lengths.name),
  reported_usage: z.string(),
  use_voice_cloning_key: z.boolean(),
  model: trimmedText(lengths.model),
  /** Beginning of the stored key. Empty if there is no stored key. */
  stored_key: z.string(),
  /** Content of the selected key file. */
  voice_cloning_key_file: z.string(),
})
export type VoiceValues = z.infer<typeof voiceShape>

export const atLeastOne = 'You must provide at least one custom voice.'

export const emptyVoice: VoiceValues = {
  sid: '',
  name: '',
  reported_usage: 'REALTIME',
  use_voice_cloning_key: false,
  model: '',
  stored_key: '',
  voice_cloning_key_file: '',
}

export const validateVoice = (voice: VoiceValues) =>
  validateCustomVoice({ ...voice, hasKey: voice.stored_key !== '' || voice.voice_cloning_key_file !== '' })

export const toVoiceValues = (stored: GoogleCustomVoice): VoiceValues => ({
  sid: stored.google_custom_voice_sid,
  name: stored.name,
  reported_usage: stored.reported_usage ?? 'REALTIME',
  use_voice_cloning_key: Boolean(stored.use_voice_cloning_key),
  model: stored.model,
  stored_key: stored.voice_cloning_key ?? '',
  voice_cloning_key_file: '',
})

export const voicesQuery = (speech_credential_sid: string) =>
  queryOptions({
    queryKey: ['speech-voices', speech_credential_sid],
    queryFn: (context) =>
      api('GET /GoogleCustomVoices', { query: { speech_credential_sid } }, queryCallOptions(context)),
  })

const toVoicePayload = ({ name, reported_usage, use_voice_cloning_key, model }: VoiceValues) => ({
  name,
  model,
  reported_usage: reported_usage as 'REALTIME',
  use_voice_cloning_key: use_voice_cloning_key ? (1 as const) : (0 as const),
})

const upload = (google_custom_voice_sid: string, key: string) =>
  api('POST /GoogleCustomVoices/:google_custom_voice_sid/VoiceCloningKey', {
    params: { google_custom_voice_sid },
    body: { file: new File([key], 'voice-cloning-key.txt', { type: 'text/plain' }) },
  })

const saveVoice = async (speech_credential_sid: string, voice: VoiceValues, before: VoiceValues | undefined) => {
  let { sid } = voice
  if (sid === '')
    sid = (await api('POST /GoogleCustomVoices', { body: { speech_credential_sid, ...toVoicePayload(voice) } })).sid
  else if (JSON.stringify(toVoicePayload(voice)) !== JSON.stringify(before && toVoicePayload(before)))
    await api('PUT /GoogleCustomVoices/:google_custom_voice_sid', {
      params: { google_custom_voice_sid: sid },
      body: toVoicePayload(voice),
    })
  if (voice.use_voice_cloning_key && voice.voice_cloning_key_file !== '')
    await upload(sid, voice.voice_cloning_key_file)
}

const removeVoice = (google_custom_voice_sid: string) =>
  api('DELETE /GoogleCustomVoices/:google_custom_voice_sid', { params: { google_custom_voice_sid } })

/** Returns the requests that follow the save of the credential, one for each new, changed, or deleted voice. */
export const voiceParts = (
  speech_credential_sid: string,
  voices: readonly VoiceValues[],
  before: readonly VoiceValues[],
): SavePart[] => {
  const storedBySid = new Map(before.map((voice) => [voice.sid, voice]))
  const remainingSids = new Set(voices.map(({ sid }) => sid))
  return [
    ...voices
      .filter((voice) => JSON.stringify(voice) !== JSON.stringify(storedBySid.get(voice.sid)))
      .map((voice) => ({
        what: `voice ${voice.name}`,
        save: () => saveVoice(speech_credential_sid, voice, storedBySid.get(voice.sid)),
      })),
    ...before
      .filter(({ sid }) => !remainingSids.has(sid))
      .map(({ sid, name }) => ({ what: `deletion of voice ${name}`, save: () => removeVoice(sid) })),
  ]
}
