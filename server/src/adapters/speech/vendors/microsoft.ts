import { z } from 'zod'
import {
  type Credential,
  groupByLanguage,
  isOn,
  isSsml,
  type SpeechVendor,
  type SynthesisRequest,
  type Synthesize,
  testBySynthesis,
  textField,
  VendorError,
} from '../speech.ts'
import { wav } from '../test-audio.ts'
import { parseAudio, parseJson, sendRequest } from '../vendor-http.ts'

/** Azure Speech over REST (learn.microsoft.com/azure/ai-services/speech-service), hosted by Azure or in a container. */

const namespaces = 'xmlns="http://www.w3.org/2001/10/synthesis" xmlns:mstts="https://www.w3.org/2001/mstts"'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** XML 1.0 cannot represent most control characters, so they are removed. */
const escapeXml = (text: string): string =>
  text.replaceAll(/(?![\t\n\r])\p{Cc}/gu, '').replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')

const toSsml = ({ text, language, voice }: SynthesisRequest): string =>
  isSsml(text)
    ? text
    : `<speak version="1.0" ${namespaces} xml:lang="${escapeXml(language)}"><voice name="${escapeXml(voice)}">${escapeXml(text)}</voice></speak>`

/** A user's own container may not need a key. */
const createHeaders = (credential: Credential): Record<string, string> => {
  const key = textField(credential, 'api_key')
  return key === '' ? {} : { 'ocp-apim-subscription-key': key }
}

/** Returns the region. It is validated because it becomes part of host names. */
const getRegion = (credential: Credential): string => {
  const region = textField(credential, 'region')
  if (!/^[a-z0-9-]*$/i.test(region)) throw new VendorError(`The region ${region} is not valid`)
  return region
}

/** Returns the URL of a container. If the user entered no path, the default path is used. */
const toContainerUrl = (address: string, path: string): string => {
  const url = new URL(address)
  return url.pathname === '/' ? new URL(path, url).href : url.href
}

const createSynthesisUrl = (credential: Credential): string => {
  const custom = isOn(credential, 'use_custom_tts')
  const container = textField(credential, 'custom_tts_endpoint_url')
  const deployment = textField(credential, 'custom_tts_endpoint')
  const region = getRegion(credential)
  if (custom && container !== '') return toContainerUrl(container, '/cognitiveservices/v1')
  if (custom && deployment !== '')
    return `https://${region}.voice.speech.microsoft.com/cognitiveservices/v1?${new URLSearchParams({ deploymentId: deployment }).toString()}`
  return `https://${region}.tts.speech.microsoft.com/cognitiveservices/v1`
}

const recognition = '/speech/recognition/conversation/cognitiveservices/v1'

const createRecognitionUrl = (credential: Credential): string => {
  const custom = isOn(credential, 'use_custom_stt')
  const container = textField(credential, 'custom_stt_endpoint_url')
  const deployment = textField(credential, 'custom_stt_endpoint')
  const url = new URL(
    custom && container !== ''
      ? toContainerUrl(container, recognition)
      : `https://${getRegion(credential)}.stt.speech.microsoft.com${recognition}`,
  )
  url.searchParams.set('language', 'en-US')
  if (custom && container === '' && deployment !== '') url.searchParams.set('cid', deployment)
  return url.href
}

const synthesize: Synthesize = async (credential, phrase, context) => {
  const headers = {
    ...createHeaders(credential),
    'content-type': 'application/ssml+xml',
    'x-microsoft-outputformat': 'audio-16khz-32kbitrate-mono-mp3',
    'user-agent': 'patchbay',
  }
  const request = { method: 'POST', headers, body: toSsml(phrase) }
  return {
    type: 'audio/mpeg',
    content: parseAudio(await sendRequest(context, createSynthesisUrl(credential), request)),
  }
}

const recognitionResponse = z.object({ RecognitionStatus: z.string() })

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

  async testStt(credential, context) {
    const headers = {
      ...createHeaders(credential),
      'content-type': 'audio/wav; codecs=audio/pcm; samplerate=8000',
      accept: 'application/json',
    }
    const answer = await sendRequest(context, createRecognitionUrl(credential), { method: 'POST', headers, body: wav })
    const { RecognitionStatus } = parseJson(answer, recognitionResponse)
    if (RecognitionStatus !== 'Success') throw new VendorError(`no transcript returned (${RecognitionStatus})`)
    return 'ok'
  },

  listsErrorMessage: 'failed to list voices',

  /** Containers have no voice list, and their credentials may have no region. */
  async lists(credential, staticLists, context) {
    const region = getRegion(credential)
    if (region === '') return staticLists
    const address = `https://${region}.tts.speech.microsoft.com/cognitiveservices/voices/list`
    const answer = await sendRequest(context, address, { headers: createHeaders(credential) })
    const voicesWithLanguage = parseJson(answer, voices).map(
      ({ Locale, LocaleName, ShortName, DisplayName, Gender }) => ({
        language: { value: Locale, name: LocaleName },
        voice: { value: ShortName, name: `${DisplayName} (${Gender})` },
      }),
    )
    return { ...staticLists, tts: groupByLanguage(voicesWithLanguage) }
  },
}
