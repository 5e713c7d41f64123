import { z } from 'zod'
import { capitalize, parseOptions, type SpeechVendor, type Synthesize, testBySynthesis, textField } from '../speech.ts'
import { jsonRequest, parseAudio, parseJson, sendRequest } from '../vendor-http.ts'

/** Rime (docs.rime.ai): /v1/rime-tts, and a public list of voices that needs no key. */

const cloud = 'https://users.rime.ai'

const synthesize: Synthesize = async (credential, { text, language, voice }, context) => {
  const body = {
    speaker: voice,
    text,
    modelId: textField(credential, 'model_id'),
    samplingRate: 8000,
    lang: language,
    ...parseOptions(credential),
  }
  const headers = { authorization: `Bearer ${textField(credential, 'api_key')}`, accept: 'audio/mp3' }
  return {
    type: 'audio/mpeg',
    content: parseAudio(await sendRequest(context, `${cloud}/v1/rime-tts`, jsonRequest(body, headers))),
  }
}

/** Voices by model, then by language. */
const voices = z.record(z.string(), z.record(z.string(), z.array(z.string())))

const toChoice = (value: string) => ({ value, name: capitalize(value) })

export const rimelabs: SpeechVendor = {
  testTts: testBySynthesis(synthesize, { language: 'eng', voice: 'amber' }),

  synthesize,

  listsErrorMessage: 'failed to list models',

  hasPublicLists: true,

  async lists(credential, staticLists, context) {
    const answer = await sendRequest(context, `${cloud}//data/voices/all-v2.json`)
    const voicesByModel = parseJson(answer, voices)
    const [first = ''] = Object.keys(voicesByModel)
    const ofModel = voicesByModel[textField(credential, 'model_id') || first] ?? {}
    const tts = Object.entries(ofModel).map(([code, ids]) => ({ ...toChoice(code), voices: ids.map(toChoice) }))
    return { ...staticLists, tts }
  },
}
