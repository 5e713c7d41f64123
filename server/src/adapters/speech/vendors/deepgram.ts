import { z } from 'zod'
import {
  type Choice,
  type Credential,
  capitalize,
  compareByName,
  type SpeechVendor,
  textField,
  type VendorContext,
  VendorError,
} from '../speech.ts'
import { testSentence, wav } from '../test-audio.ts'
import { jsonRequest, parseAudio, parseJson, sendRequest } from '../vendor-http.ts'

/** Deepgram's API (developers.deepgram.com): /v1/speak, /v1/listen, /v1/models. */

const cloud = 'https://api.deepgram.com'

const testVoice = 'aura-asteria-en'

const createAuthorization = (credential: Credential): Record<string, string> => {
  const key = textField(credential, 'api_key')
  return key === '' ? {} : { authorization: `Token ${key}` }
}

/** Deepgram selects the voice by model. */
const synthesizeMp3 = async (
  credential: Credential,
  text: string,
  model: string,
  context: VendorContext,
): Promise<Buffer> => {
  const base = textField(credential, 'deepgram_tts_uri') || cloud
  const url = `${base}/v1/speak?${new URLSearchParams({ model }).toString()}`
  return parseAudio(
    await sendRequest(
      context,
      url,
      jsonRequest({ text }, { ...createAuthorization(credential), accept: 'audio/mpeg' }),
    ),
  )
}

const recognitionResponse = z.object({
  results: z.object({ channels: z.array(z.object({ alternatives: z.array(z.unknown()) })) }),
})

/** Tests recognition with one request, which covers all recognition products of Deepgram. */
export const testByRecognition = async (
  credential: Credential,
  context: VendorContext,
): Promise<'ok' | 'not tested'> => {
  if (textField(credential, 'api_key') === '') return 'not tested'
  const headers = { ...createAuthorization(credential), 'content-type': 'audio/wav' }
  const response = await sendRequest(context, `${cloud}/v1/listen?punctuate=true`, {
    method: 'POST',
    headers,
    body: wav,
  })
  const [channel] = parseJson(response, recognitionResponse).results.channels
  if (!channel?.alternatives.length) throw new VendorError('no transcript returned')
  return 'ok'
}

const model = z.object({ canonical_name: z.string(), languages: z.array(z.string()).default([]) })
const models = z.object({
  stt: z.array(model).default([]),
  tts: z.array(model).default([]),
  languages: z.record(z.string(), z.string()).default({}),
})

const toChoices = (values: readonly string[]): Choice[] =>
  [...new Set(values)].map((value) => ({ value, name: capitalize(value) })).toSorted(compareByName)

export const deepgram: SpeechVendor = {
  async testTts(credential, context) {
    await synthesizeMp3(credential, testSentence, testVoice, context)
    return 'ok'
  },

  async synthesize(credential, { text, voice }, context) {
    return { type: 'audio/mpeg', content: await synthesizeMp3(credential, text, voice, context) }
  },

  testStt: testByRecognition,

  listsErrorMessage: 'failed to list voices',

  async lists(credential, staticLists, context) {
    const ownServers = ['deepgram_stt_uri', 'deepgram_tts_uri'].some((field) => textField(credential, field) !== '')
    if (ownServers) return staticLists
    const modelList = parseJson(
      await sendRequest(context, `${cloud}/v1/models`, { headers: createAuthorization(credential) }),
      models,
    )
    const selectedModel = textField(credential, 'model_id')
    const matchingModels = modelList.stt.filter(
      ({ canonical_name }) => selectedModel === '' || canonical_name === selectedModel,
    )
    const staticNames = new Map(staticLists.stt?.map(({ value, name }) => [value, name]))
    const stt = [...new Set(matchingModels.flatMap(({ languages }) => languages))]
      .map((value) => ({ value, name: modelList.languages[value] ?? staticNames.get(value) ?? capitalize(value) }))
      .toSorted(compareByName)
    return {
      ...staticLists,
      stt,
      models: toChoices(modelList.tts.map(({ canonical_name }) => canonical_name)),
      sttModels: toChoices(modelList.stt.map(({ canonical_name }) => canonical_name)),
    }
  },
}
