import { z } from 'zod'
import { ask, parseAudio, json, read } from '../vendor-http.ts'
import { sentence } from '../test-audio.ts'
import { byName, type Credential, type VendorContext, parseOptions, type SpeechVendor, textField } from '../speech.ts'

/** ElevenLabs (elevenlabs.io/docs/api-reference): /v1/text-to-speech/{voice}, /v1/models, /v1/voices. */

const testVoice = '21m00Tcm4TlvDq8ikWAM'

const baseOf = (credential: Credential): string =>
  `https://${textField(credential, 'api_uri') || 'api.elevenlabs.io'}/v1`

const keyOf = (credential: Credential) => ({ 'xi-api-key': textField(credential, 'api_key') })

const speak = async (
  credential: Credential,
  { text, voice, options = {} }: { text: string; voice: string; options?: Record<string, unknown> },
  far: VendorContext,
): Promise<Buffer> => {
  const latency = textField(options, 'optimize_streaming_latency')
  const query = latency === '' ? '' : `?${new URLSearchParams({ optimize_streaming_latency: latency }).toString()}`
  const body = {
    text,
    model_id: textField(credential, 'model_id'),
    voice_settings: { stability: 0.5, similarity_boost: 0.5 },
    ...options,
  }
  const url = `${baseOf(credential)}/text-to-speech/${encodeURIComponent(voice)}${query}`
  const request = json(body, { ...keyOf(credential), accept: 'audio/mpeg' })
  return parseAudio(await ask(far, url, request, () => 'failed to synthesize speech'))
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

const nameOf = ({ name, category, labels }: Voice): string => {
  const { accent, description, age, gender } = labels ?? {}
  const useCase = labels?.['use case'] ?? labels?.['use_case']
  const said = [accent, description, age, gender, useCase].filter(Boolean).join(', ')
  const kind = !category || category === 'premade' ? '' : ` (${category})`
  return `${name}${kind}${said && ` - (${said})`}`
}

export const elevenlabs: SpeechVendor = {
  async tryTts(credential, far) {
    await speak(credential, { text: sentence, voice: testVoice }, far)
    return 'ok'
  },

  async synthesize(credential, { text, voice }, far) {
    const content = await speak(credential, { text, voice, options: parseOptions(credential) }, far)
    return { type: 'audio/mpeg', content }
  },

  listsRefused: 'failed to list voices',

  async lists(credential, known, far) {
    const get = (path: string) => ask(far, `${baseOf(credential)}/${path}`, { headers: keyOf(credential) })
    const [ofModels, ofVoices] = await Promise.all([get('models'), get('voices')])
    const found = read(ofModels, models)
    const spoken = read(ofVoices, voices)
      .voices.map((voice) => ({ value: voice.voice_id, name: nameOf(voice) }))
      .toSorted(byName)
    const chosen = found.find(({ model_id }) => model_id === textField(credential, 'model_id'))
    const languages = (chosen?.languages ?? []).map(({ language_id, name }) => ({ value: language_id, name }))
    return {
      ...known,
      tts: languages.toSorted(byName).map((language) => ({ ...language, voices: spoken })),
      models: found.map(({ model_id, name }) => ({ value: model_id, name })).toSorted(byName),
    }
  },
}
