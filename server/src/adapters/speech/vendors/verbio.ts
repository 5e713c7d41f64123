import { z } from 'zod'
import {
  type Credential,
  groupByLanguage,
  type SpeechLists,
  type SpeechVendor,
  type Synthesize,
  testBySynthesis,
  textField,
  type VendorContext,
  VendorError,
} from '../speech.ts'
import { sampleRate, wav } from '../test-audio.ts'
import { jsonRequest, parseAudio, parseJson, sendRequest } from '../vendor-http.ts'

/** Verbio's Speech Center: tokens, /api/v1/synthesize, /api/v1/recognize, /api/v1/voices. */

const tokenUrl = 'https://auth.speechcenter.verbio.com:444/api/v1/token'
const cloud = 'https://us.rest.speechcenter.verbio.com/api/v1'

const maxCharacters = 2000

const token = z.object({ access_token: z.string() })

const createHeaders = async (credential: Credential, context: VendorContext) => {
  const body = { client_id: textField(credential, 'client_id'), client_secret: textField(credential, 'client_secret') }
  const { access_token } = parseJson(await sendRequest(context, tokenUrl, jsonRequest(body)), token)
  return { authorization: `Bearer ${access_token}`, 'user-agent': 'jambonz' }
}

const synthesize: Synthesize = async (credential, { text, voice }, context) => {
  if (text.length > maxCharacters) throw new VendorError(`Verbio speaks at most ${maxCharacters} characters`)
  const body = { voice_id: voice, output_sample_rate: '8k', output_encoding: 'pcm16', text }
  const answer = await sendRequest(
    context,
    `${cloud}/synthesize`,
    jsonRequest(body, await createHeaders(credential, context)),
  )
  return { type: 'pcm', content: parseAudio(answer), sampleRate }
}

const voices = z.object({
  voices: z.array(z.object({ voice_id: z.string(), name: z.string(), language: z.string() })),
})

const requestLists = async (
  credential: Credential,
  staticLists: SpeechLists,
  context: VendorContext,
): Promise<SpeechLists> => {
  const answer = await sendRequest(context, `${cloud}/voices`, { headers: await createHeaders(credential, context) })
  const voicesWithLanguage = parseJson(answer, voices).voices.map(({ voice_id, name, language }) => ({
    language: { value: language, name: language },
    voice: { value: voice_id, name },
  }))
  return { ...staticLists, tts: groupByLanguage(voicesWithLanguage) }
}

/** Filters the recognition languages by engine version. The lists say `v1` and credentials say `V1`. */
const selectByEngine = (credential: Credential, { stt = [], ...rest }: SpeechLists): SpeechLists => {
  const engine = textField(credential, 'engine_version').toLowerCase()
  return { ...rest, stt: stt.filter(({ version }) => version === undefined || version.toLowerCase() === engine) }
}

export const verbio: SpeechVendor = {
  testTts: testBySynthesis(synthesize, { language: 'en-US', voice: 'tommy_en-us' }),

  synthesize,

  async testStt(credential, context) {
    const headers = { ...(await createHeaders(credential, context)), 'content-type': 'audio/wav' }
    const request = { method: 'POST', headers, body: wav }
    const url = `${cloud}/recognize?language=en-US&version=V1`
    parseJson(await sendRequest(context, url, request, () => 'failed to transcribe speech'), z.object({}))
    return 'ok'
  },

  selectStaticLists: selectByEngine,

  lists: requestLists,
}
