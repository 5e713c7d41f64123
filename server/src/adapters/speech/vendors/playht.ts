import { z } from 'zod'
import { sendRequest, parseAudio, bodyText, jsonRequest, parseJson } from '../vendor-http.ts'
import { testSentence } from '../test-audio.ts'
import {
  groupByLanguage,
  capitalize,
  type Choice,
  type Credential,
  type VendorContext,
  parseOptions,
  type SynthesisRequest,
  type SpeechVendor,
  textField,
} from '../speech.ts'

/** PlayHT (docs.play.ht): /api/v2/tts/stream, /api/v3/auth, /api/v2/voices, /api/v2/cloned-voices. */

const cloud = 'https://api.play.ht'

const newEngine = 'Play3.0'

const testPhrase = {
  text: testSentence,
  language: 'english',
  voice: 's3://voice-cloning-zero-shot/d9ff78ba-d016-47f6-b0ef-dd630f59414e/female-cs/manifest.json',
}

const keysOf = (credential: Credential) => ({
  authorization: textField(credential, 'api_key'),
  'x-user-id': textField(credential, 'user_id'),
})

const engineOf = (credential: Credential): string => textField(credential, 'voice_engine')

const lease = z.object({ inference_address: z.string() })

/** The new engine speaks at an address that is handed out, and that wants no keys. */
const toScopedOwner = async (credential: Credential, { language }: SynthesisRequest, context: VendorContext) => {
  if (engineOf(credential) !== newEngine) {
    const base = textField(credential, 'playht_tts_uri') || cloud
    return { url: `${base}/api/v2/tts/stream`, headers: keysOf(credential), more: {} }
  }
  const answer = await sendRequest(
    context,
    `${cloud}/api/v3/auth`,
    { method: 'POST', headers: keysOf(credential) },
    bodyText,
  )
  return { url: parseJson(answer, lease).inference_address, headers: {}, more: { language } }
}

const speak = async (credential: Credential, phrase: SynthesisRequest, context: VendorContext): Promise<Buffer> => {
  const { url, headers, more } = await toScopedOwner(credential, phrase, context)
  const body = {
    text: phrase.text,
    voice: phrase.voice,
    voice_engine: engineOf(credential),
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

const voicesOf = async (credential: Credential, path: string, context: VendorContext): Promise<Voice[]> =>
  parseJson(await sendRequest(context, `${cloud}/api/v2/${path}`, { headers: keysOf(credential) }, bodyText), voices)

const choiceOf = ({ id, name, language_code, ...voice }: Voice): Choice => {
  const { accent, age, gender, loudness, style, tempo, texture } = voice
  const said = [accent, age, gender, loudness, style, tempo, texture].filter(Boolean).join(', ')
  const all = [said, language_code ? '' : 'Custom Voice'].filter(Boolean).join(' - ')
  return { value: id, name: `${name}${all && ` - (${all})`}` }
}

const languageOf = ({ language, language_code }: Voice): Choice =>
  language_code ? { value: language_code, name: language || language_code } : { value: 'en', name: 'Custom-English' }

/** The vendor names no languages for the voices of its new engine: each speaks them all. */
const languagesOfNewEngine =
  `english mandarin hindi japanese korean arabic spanish french italian portuguese german dutch swedish czech polish
  russian bulgarian hebrew greek turkish afrikaans xhosa tagalog malay indonesian bengali serbian thai urdu croatian
  hungarian danish amharic albanian catalan ukrainian galician`.split(/\s+/)

export const playht: SpeechVendor = {
  async testTts(credential, context) {
    await speak(credential, testPhrase, context)
    await voicesOf(credential, 'voices', context)
    return 'ok'
  },

  async synthesize(credential, phrase, context) {
    return { type: 'audio/mpeg', content: await speak(credential, phrase, context) }
  },

  listsErrorMessage: 'failed to list voices',

  async lists(credential, known, context) {
    const [own, common] = await Promise.all([
      voicesOf(credential, 'cloned-voices', context).catch(() => []),
      voicesOf(credential, 'voices', context),
    ])
    const all = [...own, ...common]
    const engine = engineOf(credential)
    if (engine === newEngine) {
      const spoken = all.map(choiceOf)
      const tts = languagesOfNewEngine.map((value) => ({
        value,
        name: capitalize(value),
        voices: value === 'english' ? spoken : [],
      }))
      return { ...known, tts }
    }
    const ofEngine = all.filter(({ voice_engine }) => voice_engine && engine.includes(voice_engine))
    return {
      ...known,
      tts: groupByLanguage(ofEngine.map((voice) => ({ language: languageOf(voice), voice: choiceOf(voice) }))),
    }
  },
}
