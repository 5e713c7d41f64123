import { isRegion } from '@patchbay/contract/recordings/storage'
import { z } from 'zod'
import {
  type Credential,
  groupByLanguage,
  type SpeechLists,
  type SpeechVendor,
  textField,
  type VendorContext,
  VendorError,
} from '../speech.ts'
import { jsonRequest, parseAudio, parseJson, reasonAt, sendRequest } from '../vendor-http.ts'

/** IBM Watson (cloud.ibm.com/apidocs): a token of IAM, then Text to Speech or Speech to Text in a region. */

type Half = 'tts' | 'stt'

const services = { tts: 'text-to-speech', stt: 'speech-to-text' } as const

const unauthorized = 'invalid api_key or region'

const token = z.object({ access_token: z.string() })

const createHeaders = async (credential: Credential, half: Half, context: VendorContext) => {
  const body = new URLSearchParams({
    grant_type: 'urn:ibm:params:oauth:grant-type:apikey',
    apikey: textField(credential, `${half}_api_key`),
  })
  const request = { method: 'POST', body, headers: { accept: 'application/json' } }
  const response = await sendRequest(
    context,
    'https://iam.cloud.ibm.com/identity/token',
    request,
    reasonAt('errorMessage'),
  )
  return { authorization: `Bearer ${parseJson(response, token).access_token}` }
}

const createBaseUrl = (credential: Credential, half: Half): string => {
  const region = textField(credential, `${half}_region`)
  if (!isRegion(region)) throw new VendorError(unauthorized)
  return `https://api.${region}.${services[half]}.watson.cloud.ibm.com/v1`
}

const get = async (credential: Credential, half: Half, path: string, context: VendorContext) => {
  const url = `${createBaseUrl(credential, half)}/${path}`
  const headers = await createHeaders(credential, half, context)
  return sendRequest(context, url, { headers }, ({ status }) => (status === 401 ? unauthorized : ''))
}

const voices = z.object({
  voices: z.array(z.object({ name: z.string(), language: z.string(), gender: z.string(), description: z.string() })),
})

const listVoices = async (credential: Credential, context: VendorContext) =>
  parseJson(await get(credential, 'tts', 'voices', context), voices).voices

const requestLists = async (
  credential: Credential,
  staticLists: SpeechLists,
  context: VendorContext,
): Promise<SpeechLists> => {
  const staticNames = new Map(staticLists.stt?.map(({ value, name }) => [value, name]))
  const voicesWithLanguage = (await listVoices(credential, context)).map(({ name, language, gender, description }) => ({
    language: { value: language, name: staticNames.get(language) ?? language },
    voice: { value: name, name: `(${gender}) ${description}` },
  }))
  return { ...staticLists, tts: groupByLanguage(voicesWithLanguage) }
}

export const ibm: SpeechVendor = {
  async testTts(credential, context) {
    await listVoices(credential, context)
    return 'ok'
  },

  async synthesize(credential, { text, voice }, context) {
    const url = `${createBaseUrl(credential, 'tts')}/synthesize?${new URLSearchParams({ voice }).toString()}`
    const headers = { ...(await createHeaders(credential, 'tts', context)), accept: 'audio/mp3' }
    const response = await sendRequest(context, url, jsonRequest({ text }, headers), reasonAt('error'))
    return { type: 'audio/mpeg', content: parseAudio(response) }
  },

  async testStt(credential, context) {
    parseJson(await get(credential, 'stt', 'models', context), z.object({ models: z.array(z.unknown()) }))
    return 'ok'
  },

  lists: requestLists,
}
