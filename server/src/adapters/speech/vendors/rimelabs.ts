import { z } from 'zod'
import { ask, parseAudio, json, read } from '../vendor-http.ts'
import { bySpeaking, capitalised, parseOptions, type SpeechVendor, type Synthesize, textField } from '../speech.ts'

/** Rime (docs.rime.ai): /v1/rime-tts, and its voices, which are asked for without a key. */

const cloud = 'https://users.rime.ai'

const synthesize: Synthesize = async (credential, { text, language, voice }, far) => {
  const body = {
    speaker: voice,
    text,
    modelId: textField(credential, 'model_id'),
    samplingRate: 8000,
    lang: language,
    ...parseOptions(credential),
  }
  const headers = { authorization: `Bearer ${textField(credential, 'api_key')}`, accept: 'audio/mp3' }
  return { type: 'audio/mpeg', content: parseAudio(await ask(far, `${cloud}/v1/rime-tts`, json(body, headers))) }
}

/** By model, then by language. */
const voices = z.record(z.string(), z.record(z.string(), z.array(z.string())))

const named = (value: string) => ({ value, name: capitalised(value) })

export const rimelabs: SpeechVendor = {
  tryTts: bySpeaking(synthesize, { language: 'eng', voice: 'amber' }),

  synthesize,

  listsRefused: 'failed to list models',

  listsForAll: true,

  async lists(credential, known, far) {
    const answer = await ask(far, `${cloud}//data/voices/all-v2.json`)
    const found = read(answer, voices)
    const [first = ''] = Object.keys(found)
    const ofModel = found[textField(credential, 'model_id') || first] ?? {}
    const tts = Object.entries(ofModel).map(([code, ids]) => ({ ...named(code), voices: ids.map(named) }))
    return { ...known, tts }
  },
}
