import { type Audio, isSsml, type SpeechVendor, textField, VendorError } from '../speech.ts'
import { jsonRequest, parseAudio, sendRequest } from '../vendor-http.ts'

/**
 * A user's own speech service that implements the custom speech API
 * (docs/reference/platform-api/speech-vendor-requests.md#synthesis-requests). It has no test.
 */

const toAudio = (contentType: string, content: Buffer): Audio => {
  const [type = '', ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  if (type === 'audio/wav') return { type, content }
  if (type === 'audio/mpeg' || type === 'audio/mp3') return { type: 'audio/mpeg', content }
  const rate = /^rate=(\d+)$/.exec(parameters.find((part) => part.startsWith('rate=')) ?? '')?.[1]
  if (type === 'audio/l16' && rate !== undefined) return { type: 'pcm', content, sampleRate: Number(rate) }
  throw new VendorError(`The vendor returned audio of an unknown type: ${contentType}`)
}

export const custom: SpeechVendor = {
  async synthesize(credential, { text, language, voice }, context) {
    const token = textField(credential, 'auth_token')
    const headers: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` }
    const type = isSsml(text) ? 'ssml' : 'text'
    const request = jsonRequest({ language, voice, type, text }, headers)
    const response = await sendRequest(context, textField(credential, 'custom_tts_url'), request)
    return toAudio(response.headers['content-type'] ?? '', parseAudio(response))
  },
}
