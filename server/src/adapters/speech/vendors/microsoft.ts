import { z } from 'zod'
import { sendRequest, parseAudio, parseJson } from '../vendor-http.ts'
import { wav } from '../test-audio.ts'
import {
  groupByLanguage,
  testBySynthesis,
  type Credential,
  isOn,
  isSsml,
  type SynthesisRequest,
  type SpeechVendor,
  type Synthesize,
  textField,
  VendorError,
} from '../speech.ts'

/** Azure's speech service over REST (learn.microsoft.com/azure/ai-services/speech-service), its own or in a container. */

const namespaces = 'xmlns="http://www.w3.org/2001/10/synthesis" xmlns:mstts="https://www.w3.org/2001/mstts"'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** XML 1.0 has no way to write most control characters. */
const escaped = (text: string): string =>
  text.replaceAll(/(?![\t\n\r])\p{Cc}/gu, '').replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')

const ssmlOf = ({ text, language, voice }: SynthesisRequest): string =>
  isSsml(text)
    ? text
    : `<speak version="1.0" ${namespaces} xml:lang="${escaped(language)}"><voice name="${escaped(voice)}">${escaped(text)}</voice></speak>`

/** A container of one's own may work without a key. */
const keyOf = (credential: Credential): Record<string, string> => {
  const key = textField(credential, 'api_key')
  return key === '' ? {} : { 'ocp-apim-subscription-key': key }
}

/** Returns the region, which becomes a part of host names. */
const regionOf = (credential: Credential): string => {
  const region = textField(credential, 'region')
  if (!/^[a-z0-9-]*$/i.test(region)) throw new VendorError(`The region ${region} is not valid`)
  return region
}

/** The address of a container, as it was typed; where that names no path, the service's own. */
const ofContainer = (typed: string, path: string): string => {
  const url = new URL(typed)
  return url.pathname === '/' ? new URL(path, url).href : url.href
}

const synthesisAddress = (credential: Credential): string => {
  const custom = isOn(credential, 'use_custom_tts')
  const container = textField(credential, 'custom_tts_endpoint_url')
  const deployment = textField(credential, 'custom_tts_endpoint')
  const region = regionOf(credential)
  if (custom && container !== '') return ofContainer(container, '/cognitiveservices/v1')
  if (custom && deployment !== '')
    return `https://${region}.voice.speech.microsoft.com/cognitiveservices/v1?${new URLSearchParams({ deploymentId: deployment }).toString()}`
  return `https://${region}.tts.speech.microsoft.com/cognitiveservices/v1`
}

const recognition = '/speech/recognition/conversation/cognitiveservices/v1'

const recognitionAddress = (credential: Credential): string => {
  const custom = isOn(credential, 'use_custom_stt')
  const container = textField(credential, 'custom_stt_endpoint_url')
  const deployment = textField(credential, 'custom_stt_endpoint')
  const url = new URL(
    custom && container !== ''
      ? ofContainer(container, recognition)
      : `https://${regionOf(credential)}.stt.speech.microsoft.com${recognition}`,
  )
  url.searchParams.set('language', 'en-US')
  if (custom && container === '' && deployment !== '') url.searchParams.set('cid', deployment)
  return url.href
}

const synthesize: Synthesize = async (credential, phrase, context) => {
  const headers = {
    ...keyOf(credential),
    'content-type': 'application/ssml+xml',
    'x-microsoft-outputformat': 'audio-16khz-32kbitrate-mono-mp3',
    'user-agent': 'patchbay',
  }
  const request = { method: 'POST', headers, body: ssmlOf(phrase) }
  return { type: 'audio/mpeg', content: parseAudio(await sendRequest(context, synthesisAddress(credential), request)) }
}

const heard = z.object({ RecognitionStatus: z.string() })

const voices = z.array(
  z.object({
    Locale: z.string(),
    LocaleName: z.string(),
    ShortName: z.string(),
    DisplayName: z.string(),
    Gender: z.string(),
  }),
)

export const microsoft: SpeechVendor = {
  testTts: testBySynthesis(synthesize, { language: 'en-US', voice: 'en-US-JennyMultilingualNeural' }),

  synthesize,

  async tryStt(credential, context) {
    const headers = {
      ...keyOf(credential),
      'content-type': 'audio/wav; codecs=audio/pcm; samplerate=8000',
      accept: 'application/json',
    }
    const answer = await sendRequest(context, recognitionAddress(credential), { method: 'POST', headers, body: wav })
    const { RecognitionStatus } = parseJson(answer, heard)
    if (RecognitionStatus !== 'Success') throw new VendorError(`no transcript returned (${RecognitionStatus})`)
    return 'ok'
  },

  listsErrorMessage: 'failed to list voices',

  /** Containers have no list, and no region to ask. */
  async lists(credential, known, context) {
    const region = regionOf(credential)
    if (region === '') return known
    const address = `https://${region}.tts.speech.microsoft.com/cognitiveservices/voices/list`
    const answer = await sendRequest(context, address, { headers: keyOf(credential) })
    const spoken = parseJson(answer, voices).map(({ Locale, LocaleName, ShortName, DisplayName, Gender }) => ({
      language: { value: Locale, name: LocaleName },
      voice: { value: ShortName, name: `${DisplayName} (${Gender})` },
    }))
    return { ...known, tts: groupByLanguage(spoken) }
  },
}
