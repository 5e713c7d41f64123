import { z } from 'zod'
import {
  type Choice,
  type Credential,
  capitalize,
  groupByLanguage,
  parseOptions,
  type SpeechVendor,
  type SynthesisRequest,
  textField,
  type VendorContext,
} from '../speech.ts'
import { testSentence } from '../test-audio.ts'
import { bodyText, jsonRequest, parseAudio, parseJson, sendRequest } from '../vendor-http.ts'

/** PlayHT (docs.play.ht): /api/v2/tts/stream, /api/v3/auth, /api/v2/voices, /api/v2/cloned-voices. */

const cloud = 'https://api.play.ht'

const newEngine = 'Play3.0'

const testPhrase = {
  text: testSentence,
  language: 'english',
  voice: 's3://voice-cloning-zero-shot/d9ff78ba-d016-47f6-b0ef-dd630f59414e/female-cs/manifest.json',
}

const createHeaders = (credential: Credential) => ({
  authorization: textField(credential, 'api_key'),
  'x-user-id': textField(credential, 'user_id'),
})

const getEngine = (credential: Credential): string => textField(credential, 'voice_engine')

const lease = z.object({ inference_address: z.string() })

/**
 * Returns where to send the synthesis. The new engine uses an address that the vendor issues per session, which needs
 * no keys.
 */
const resolveEndpoint = async (credential: Credential, { language }: SynthesisRequest, context: VendorContext) => {
  if (getEngine(credential) !== newEngine) {
    const base = textField(credential, 'playht_tts_uri') || cloud
    return { url: `${base}/api/v2/tts/stream`, headers: createHeaders(credential), more: {} }
  }
  const answer = await sendRequest(
    context,
    `${cloud}/api/v3/auth`,
    { method: 'POST', headers: createHeaders(credential) },
    bodyText,
  )
  return { url: parseJson(answer, lease).inference_address, headers: {}, more: { language } }
}

const synthesizeMp3 = async (
  credential: Credential,
  phrase: SynthesisRequest,
  context: VendorContext,
): Promise<Buffer> => {
  const { url, headers, more } = await resolveEndpoint(credential, phrase, context)
  const body = {
    text: phrase.text,
    voice: phrase.voice,
    voice_engine: getEngine(credential),
    output_format: 'mp3',
    sample_rate: 8000,
    ...more,
    ...parseOptions(credential),
  }
  return parseAudio(await sendRequest(context, url, jsonRequest(body, { ...headers, accept: 'audio/mpeg' }), bodyText))
}

const text = z.string().nullish()
const voices = z.array(
  z.object({
    id: z.string(),
    name: z.string(),
    language: text,
    language_code: text,
    voice_engine: text,
    accent: text,
    age: text,
    gender: text,
    loudness: text,
    style: text,
    tempo: text,
    texture: text,
  }),
)

type Voice = z.infer<typeof voices>[number]

const listVoices = async (credential: Credential, path: string, context: VendorContext): Promise<Voice[]> =>
  parseJson(
    await sendRequest(context, `${cloud}/api/v2/${path}`, { headers: createHeaders(credential) }, bodyText),
    voices,
  )

const toVoiceChoice = ({ id, name, language_code, ...voice }: Voice): Choice => {
  const { accent, age, gender, loudness, style, tempo, texture } = voice
  const details = [accent, age, gender, loudness, style, tempo, texture].filter(Boolean).join(', ')
  const labels = [details, language_code ? '' : 'Custom Voice'].filter(Boolean).join(' - ')
  return { value: id, name: `${name}${labels && ` - (${labels})`}` }
}

const toLanguageChoice = ({ language, language_code }: Voice): Choice =>
  language_code ? { value: language_code, name: language || language_code } : { value: 'en', name: 'Custom-English' }

/** The vendor lists no languages for the voices of its new engine, because each voice speaks all of them. */
const newEngineLanguages =
  `english mandarin hindi japanese korean arabic spanish french italian portuguese german dutch swedish czech polish
  russian bulgarian hebrew greek turkish afrikaans xhosa tagalog malay indonesian bengali serbian thai urdu croatian
  hungarian danish amharic albanian catalan ukrainian galician`.split(/\s+/)

export const playht: SpeechVendor = {
  async testTts(credential, context) {
    await synthesizeMp3(credential, testPhrase, context)
    await listVoices(credential, 'voices', context)
    return 'ok'
  },

  async synthesize(credential, phrase, context) {
    return { type: 'audio/mpeg', content: await synthesizeMp3(credential, phrase, context) }
  },

  listsErrorMessage: 'failed to list voices',

  async lists(credential, staticLists, context) {
    const [clonedVoices, stockVoices] = await Promise.all([
      listVoices(credential, 'cloned-voices', context).catch(() => []),
      listVoices(credential, 'voices', context),
    ])
    const labels = [...clonedVoices, ...stockVoices]
    const engine = getEngine(credential)
    if (engine === newEngine) {
      const voiceChoices = labels.map(toVoiceChoice)
      const tts = newEngineLanguages.map((value) => ({
        value,
        name: capitalize(value),
        voices: value === 'english' ? voiceChoices : [],
      }))
      return { ...staticLists, tts }
    }
    const engineVoices = labels.filter(({ voice_engine }) => voice_engine && engine.includes(voice_engine))
    return {
      ...staticLists,
      tts: groupByLanguage(
        engineVoices.map((voice) => ({ language: toLanguageChoice(voice), voice: toVoiceChoice(voice) })),
      ),
    }
  },
}
