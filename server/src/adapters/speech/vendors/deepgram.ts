import { z } from 'zod'
import { sendRequest, parseAudio, jsonRequest, parseJson } from '../vendor-http.ts'
import { testSentence, wav } from '../test-audio.ts'
import {
  compareByName,
  capitalize,
  type Choice,
  type Credential,
  type VendorContext,
  type SpeechVendor,
  textField,
  VendorError,
} from '../speech.ts'

/** Deepgram's API (developers.deepgram.com): /v1/speak, /v1/listen, /v1/models. */

const cloud = 'https://api.deepgram.com'

const testVoice = 'aura-asteria-en'

const keyOf = (credential: Credential): Record<string, string> => {
  const key = textField(credential, 'api_key')
  return key === '' ? {} : { authorization: `Token ${key}` }
}

/** The "voice" of Deepgram is a model. */
const speak = async (credential: Credential, text: string, model: string, context: VendorContext): Promise<Buffer> => {
  const base = textField(credential, 'deepgram_tts_uri') || cloud
  const url = `${base}/v1/speak?${new URLSearchParams({ model }).toString()}`
  return parseAudio(
    await sendRequest(context, url, jsonRequest({ text }, { ...keyOf(credential), accept: 'audio/mpeg' })),
  )
}

const heard = z.object({
  results: z.object({ channels: z.array(z.object({ alternatives: z.array(z.unknown()) })) }),
})

/** One request for all that Deepgram hears with. */
export const byListening = async (credential: Credential, context: VendorContext): Promise<'ok' | 'not tested'> => {
  if (textField(credential, 'api_key') === '') return 'not tested'
  const headers = { ...keyOf(credential), 'content-type': 'audio/wav' }
  const answer = await sendRequest(context, `${cloud}/v1/listen?punctuate=true`, { method: 'POST', headers, body: wav })
  const [channel] = parseJson(answer, heard).results.channels
  if (!channel?.alternatives.length) throw new VendorError('no transcript returned')
  return 'ok'
}

const model = z.object({ canonical_name: z.string(), languages: z.array(z.string()).default([]) })
const models = z.object({
  stt: z.array(model).default([]),
  tts: z.array(model).default([]),
  languages: z.record(z.string(), z.string()).default({}),
})

const named = (values: readonly string[]): Choice[] =>
  [...new Set(values)].map((value) => ({ value, name: capitalize(value) })).toSorted(compareByName)

export const deepgram: SpeechVendor = {
  async testTts(credential, context) {
    await speak(credential, testSentence, testVoice, context)
    return 'ok'
  },

  async synthesize(credential, { text, voice }, context) {
    return { type: 'audio/mpeg', content: await speak(credential, text, voice, context) }
  },

  tryStt: byListening,

  listsErrorMessage: 'failed to list voices',

  async lists(credential, known, context) {
    const ownServers = ['deepgram_stt_uri', 'deepgram_tts_uri'].some((field) => textField(credential, field) !== '')
    if (ownServers) return known
    const found = parseJson(await sendRequest(context, `${cloud}/v1/models`, { headers: keyOf(credential) }), models)
    const chosen = textField(credential, 'model_id')
    const ofModel = found.stt.filter(({ canonical_name }) => chosen === '' || canonical_name === chosen)
    const knownName = new Map(known.stt?.map(({ value, name }) => [value, name]))
    const stt = [...new Set(ofModel.flatMap(({ languages }) => languages))]
      .map((value) => ({ value, name: found.languages[value] ?? knownName.get(value) ?? capitalize(value) }))
      .toSorted(compareByName)
    return {
      ...known,
      stt,
      models: named(found.tts.map(({ canonical_name }) => canonical_name)),
      sttModels: named(found.stt.map(({ canonical_name }) => canonical_name)),
    }
  },
}
