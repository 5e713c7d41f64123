import { z } from 'zod'
import {
  type Credential,
  capitalize,
  compareByName,
  groupByLanguage,
  type SpeechLists,
  type SpeechVendor,
  type Synthesize,
  testBySynthesis,
  textField,
  type VendorContext,
} from '../speech.ts'
import { base64Audio, jsonRequest, parseJson, sendRequest } from '../vendor-http.ts'

/** Resemble AI (docs.resemble.ai): /synthesize on a user's own server or in the cloud, /api/v2/voices. */

const cloud = 'https://f.cluster.resemble.ai'

const synthesis = z.object({ audio_content: base64Audio })

const synthesize: Synthesize = async (credential, { text, voice }, context) => {
  const url = `${textField(credential, 'resemble_tts_uri') || cloud}/synthesize`
  const body = { voice_uuid: voice, data: text, sample_rate: 8000, output_format: 'mp3' }
  const response = await sendRequest(
    context,
    url,
    jsonRequest(body, { authorization: `Bearer ${textField(credential, 'api_key')}` }),
  )
  return { type: 'audio/mpeg', content: parseJson(response, synthesis).audio_content }
}

const text = z.string().nullish()
const page = z.object({
  success: z.literal(true),
  num_pages: z.number(),
  items: z.array(
    z.object({
      uuid: z.string(),
      name: z.string(),
      status: text,
      voice_type: text,
      source: text,
      default_language: text,
      component_status: z.object({ text_to_speech: z.object({ status: text }).nullish() }).nullish(),
    }),
  ),
})

type Voice = z.infer<typeof page>['items'][number]

const listVoices = async (credential: Credential, context: VendorContext): Promise<Voice[]> => {
  const headers = { authorization: `Token token=${textField(credential, 'api_key')}` }
  const all: Voice[] = []
  for (let number = 1, last = 1; number <= last; number++) {
    const url = `https://app.resemble.ai/api/v2/voices?page=${number}&page_size=100`
    const { items, num_pages } = parseJson(await sendRequest(context, url, { headers }), page)
    all.push(...items)
    last = num_pages
  }
  return all
}

const canSpeak = ({ status, component_status }: Voice): boolean =>
  status === 'finished' && component_status?.text_to_speech?.status === 'ready'

const requestLists = async (
  credential: Credential,
  staticLists: SpeechLists,
  context: VendorContext,
): Promise<SpeechLists> => {
  const voicesWithLanguage = (await listVoices(credential, context)).filter(canSpeak).map((voice) => {
    const code = voice.default_language || 'en-US'
    const name = `${voice.name} (${voice.voice_type}) - ${voice.source}`
    return { language: { value: code, name: capitalize(code) }, voice: { value: voice.uuid, name } }
  })
  const tts = groupByLanguage(voicesWithLanguage).map((language) => ({
    ...language,
    voices: language.voices.toSorted(compareByName),
  }))
  return { ...staticLists, tts: tts.toSorted(compareByName) }
}

export const resemble: SpeechVendor = {
  testTts: testBySynthesis(synthesize, { language: 'en-US', voice: '3f5fb9f1' }),
  synthesize,
  lists: requestLists,
}
