import { z } from 'zod'
import {
  type Credential,
  compareByName,
  parseOptions,
  type SpeechVendor,
  textField,
  type VendorContext,
} from '../speech.ts'
import { testSentence } from '../test-audio.ts'
import { jsonRequest, parseAudio, parseJson, sendRequest } from '../vendor-http.ts'

/** ElevenLabs (elevenlabs.io/docs/api-reference): /v1/text-to-speech/{voice}, /v1/models, /v1/voices. */

const testVoice = '21m00Tcm4TlvDq8ikWAM'

const createBaseUrl = (credential: Credential): string =>
  `https://${textField(credential, 'api_uri') || 'api.elevenlabs.io'}/v1`

const createHeaders = (credential: Credential) => ({ 'xi-api-key': textField(credential, 'api_key') })

const synthesizeMp3 = async (
  credential: Credential,
  { text, voice, options = {} }: { text: string; voice: string; options?: Record<string, unknown> },
  context: VendorContext,
): Promise<Buffer> => {
  const latency = textField(options, 'optimize_streaming_latency')
  const query = latency === '' ? '' : `?${new URLSearchParams({ optimize_streaming_latency: latency }).toString()}`
  const body = {
    text,
    model_id: textField(credential, 'model_id'),
    voice_settings: { stability: 0.5, similarity_boost: 0.5 },
    ...options,
  }
  const url = `${createBaseUrl(credential)}/text-to-speech/${encodeURIComponent(voice)}${query}`
  const request = jsonRequest(body, { ...createHeaders(credential), accept: 'audio/mpeg' })
  return parseAudio(await sendRequest(context, url, request, () => 'failed to synthesize speech'))
}

const models = z.array(
  z.object({
    model_id: z.string(),
    name: z.string(),
    languages: z.array(z.object({ language_id: z.string(), name: z.string() })).nullish(),
  }),
)

const voices = z.object({
  voices: z.array(
    z.object({
      voice_id: z.string(),
      name: z.string(),
      category: z.string().nullish(),
      labels: z.record(z.string(), z.string().nullish()).nullish(),
    }),
  ),
})

type Voice = z.infer<typeof voices>['voices'][number]

const formatVoiceName = ({ name, category, labels }: Voice): string => {
  const { accent, description, age, gender } = labels ?? {}
  const useCase = labels?.['use case'] ?? labels?.['use_case']
  const details = [accent, description, age, gender, useCase].filter(Boolean).join(', ')
  const kind = !category || category === 'premade' ? '' : ` (${category})`
  return `${name}${kind}${details && ` - (${details})`}`
}

export const elevenlabs: SpeechVendor = {
  async testTts(credential, context) {
    await synthesizeMp3(credential, { text: testSentence, voice: testVoice }, context)
    return 'ok'
  },

  async synthesize(credential, { text, voice }, context) {
    const content = await synthesizeMp3(credential, { text, voice, options: parseOptions(credential) }, context)
    return { type: 'audio/mpeg', content }
  },

  listsErrorMessage: 'failed to list voices',

  async lists(credential, staticLists, context) {
    const get = (path: string) =>
      sendRequest(context, `${createBaseUrl(credential)}/${path}`, { headers: createHeaders(credential) })
    const [modelsResponse, voicesResponse] = await Promise.all([get('models'), get('voices')])
    const modelList = parseJson(modelsResponse, models)
    const voiceChoices = parseJson(voicesResponse, voices)
      .voices.map((voice) => ({ value: voice.voice_id, name: formatVoiceName(voice) }))
      .toSorted(compareByName)
    const selectedModel = modelList.find(({ model_id }) => model_id === textField(credential, 'model_id'))
    const languages = (selectedModel?.languages ?? []).map(({ language_id, name }) => ({ value: language_id, name }))
    return {
      ...staticLists,
      tts: languages.toSorted(compareByName).map((language) => ({ ...language, voices: voiceChoices })),
      models: modelList.map(({ model_id, name }) => ({ value: model_id, name })).toSorted(compareByName),
    }
  },
}
