import { isRegion } from '@patchbay/contract/recordings/storage'
import { z } from 'zod'
import { ask, parseAudio, json, read, reasonAt } from '../vendor-http.ts'
import {
  byLanguage,
  type Credential,
  type VendorContext,
  type SpeechLists,
  type SpeechVendor,
  textField,
  VendorRefused,
} from '../speech.ts'

/** IBM Watson (cloud.ibm.com/apidocs): tokens of IAM, then Text to Speech or Speech to Text of a region. */

type Half = 'tts' | 'stt'

const services = { tts: 'text-to-speech', stt: 'speech-to-text' } as const

const unauthorized = 'invalid api_key or region'

const token = z.object({ access_token: z.string() })

const headersOf = async (credential: Credential, half: Half, far: VendorContext) => {
  const body = new URLSearchParams({
    grant_type: 'urn:ibm:params:oauth:grant-type:apikey',
    apikey: textField(credential, `${half}_api_key`),
  })
  const request = { method: 'POST', body, headers: { accept: 'application/json' } }
  const answer = await ask(far, 'https://iam.cloud.ibm.com/identity/token', request, reasonAt('errorMessage'))
  return { authorization: `Bearer ${read(answer, token).access_token}` }
}

const baseOf = (credential: Credential, half: Half): string => {
  const region = textField(credential, `${half}_region`)
  if (!isRegion(region)) throw new VendorRefused(unauthorized)
  return `https://api.${region}.${services[half]}.watson.cloud.ibm.com/v1`
}

const get = async (credential: Credential, half: Half, path: string, far: VendorContext) => {
  const url = `${baseOf(credential, half)}/${path}`
  const headers = await headersOf(credential, half, far)
  return ask(far, url, { headers }, ({ status }) => (status === 401 ? unauthorized : ''))
}

const voices = z.object({
  voices: z.array(z.object({ name: z.string(), language: z.string(), gender: z.string(), description: z.string() })),
})

const voicesOf = async (credential: Credential, far: VendorContext) =>
  read(await get(credential, 'tts', 'voices', far), voices).voices

const live = async (credential: Credential, known: SpeechLists, far: VendorContext): Promise<SpeechLists> => {
  const knownName = new Map(known.stt?.map(({ value, name }) => [value, name]))
  const spoken = (await voicesOf(credential, far)).map(({ name, language, gender, description }) => ({
    language: { value: language, name: knownName.get(language) ?? language },
    voice: { value: name, name: `(${gender}) ${description}` },
  }))
  return { ...known, tts: byLanguage(spoken) }
}

export const ibm: SpeechVendor = {
  async tryTts(credential, far) {
    await voicesOf(credential, far)
    return 'ok'
  },

  async synthesize(credential, { text, voice }, far) {
    const url = `${baseOf(credential, 'tts')}/synthesize?${new URLSearchParams({ voice }).toString()}`
    const headers = { ...(await headersOf(credential, 'tts', far)), accept: 'audio/mp3' }
    const answer = await ask(far, url, json({ text }, headers), reasonAt('error'))
    return { type: 'audio/mpeg', content: parseAudio(answer) }
  },

  async tryStt(credential, far) {
    read(await get(credential, 'stt', 'models', far), z.object({ models: z.array(z.unknown()) }))
    return 'ok'
  },

  lists: live,
}
