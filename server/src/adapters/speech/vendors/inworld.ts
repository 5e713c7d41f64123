import { z } from 'zod'
import {
  type Credential,
  capitalize,
  groupByLanguage,
  parseOptions,
  type SpeechVendor,
  type Synthesize,
  testBySynthesis,
  textField,
} from '../speech.ts'
import { base64Audio, bodyText, jsonRequest, parseJson, sendRequest } from '../vendor-http.ts'

/** Inworld (docs.inworld.ai): /tts/v1/voice, /tts/v1/voices. A key is already encoded for Basic authentication. */

const cloud = 'https://api.inworld.ai/tts/v1'

const createHeaders = (credential: Credential) => ({ authorization: `Basic ${textField(credential, 'api_key')}` })

const synthesis = z.object({ audioContent: base64Audio })

const synthesize: Synthesize = async (credential, { text, voice }, context) => {
  const options = parseOptions(credential)
  const body = {
    ...options,
    text,
    voiceId: voice,
    modelId: textField(credential, 'model_id'),
    audioConfig: { ...Object(options['audioConfig']), audioEncoding: 'MP3' },
  }
  const response = await sendRequest(context, `${cloud}/voice`, jsonRequest(body, createHeaders(credential)), bodyText)
  return { type: 'audio/mpeg', content: parseJson(response, synthesis).audioContent }
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
  testTts: testBySynthesis(synthesize, { language: 'en', voice: 'Ashley' }),

  synthesize,

  listsErrorMessage: 'failed to list models',

  async lists(credential, staticLists, context) {
    const response = await sendRequest(context, `${cloud}/voices`, { headers: createHeaders(credential) })
    const voicesWithLanguage = parseJson(response, voices).voices.flatMap(({ voiceId, displayName, languages }) =>
      languages.map((code) => ({
        language: { value: code, name: capitalize(code) },
        voice: { value: voiceId, name: displayName || capitalize(voiceId) },
      })),
    )
    return { ...staticLists, tts: groupByLanguage(voicesWithLanguage) }
  },
}
