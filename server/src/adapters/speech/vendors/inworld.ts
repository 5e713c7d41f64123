import { z } from 'zod'
import { ask, base64Audio, bodyText, json, read } from '../vendor-http.ts'
import {
  byLanguage,
  bySpeaking,
  capitalised,
  type Credential,
  parseOptions,
  type SpeechVendor,
  type Synthesize,
  textField,
} from '../speech.ts'

/** Inworld (docs.inworld.ai): /tts/v1/voice, /tts/v1/voices. A key is already encoded for Basic authentication. */

const cloud = 'https://api.inworld.ai/tts/v1'

const keyOf = (credential: Credential) => ({ authorization: `Basic ${textField(credential, 'api_key')}` })

const synthesis = z.object({ audioContent: base64Audio })

const synthesize: Synthesize = async (credential, { text, voice }, far) => {
  const options = parseOptions(credential)
  const body = {
    ...options,
    text,
    voiceId: voice,
    modelId: textField(credential, 'model_id'),
    audioConfig: { ...Object(options['audioConfig']), audioEncoding: 'MP3' },
  }
  const answer = await ask(far, `${cloud}/voice`, json(body, keyOf(credential)), bodyText)
  return { type: 'audio/mpeg', content: read(answer, synthesis).audioContent }
}

const voices = z.object({
  voices: z.array(
    z.object({
      voiceId: z.string(),
      displayName: z.string().nullish(),
      languages: z.array(z.string()).default([]),
    }),
  ),
})

export const inworld: SpeechVendor = {
  tryTts: bySpeaking(synthesize, { language: 'en', voice: 'Ashley' }),

  synthesize,

  listsRefused: 'failed to list models',

  async lists(credential, known, far) {
    const answer = await ask(far, `${cloud}/voices`, { headers: keyOf(credential) })
    const spoken = read(answer, voices).voices.flatMap(({ voiceId, displayName, languages }) =>
      languages.map((code) => ({
        language: { value: code, name: capitalised(code) },
        voice: { value: voiceId, name: displayName || capitalised(voiceId) },
      })),
    )
    return { ...known, tts: byLanguage(spoken) }
  },
}
