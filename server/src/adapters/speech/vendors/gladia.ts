import { z } from 'zod'
import { type Credential, type SpeechVendor, textField, VendorError } from '../speech.ts'
import { sampleRate, wav } from '../test-audio.ts'
import { jsonRequest, parseJson, sendRequest } from '../vendor-http.ts'

/** Gladia (docs.gladia.io): /v2/live creates a session. Its WebSocket accepts the audio. */

const settings = {
  model: 'solaria-1',
  encoding: 'wav/pcm',
  sample_rate: sampleRate,
  bit_depth: 16,
  channels: 1,
  language_config: { languages: ['en'], code_switching: false },
  messages_config: { receive_acknowledgments: true },
}

const createUrl = (credential: Credential): string => {
  const region = textField(credential, 'region')
  const query = region === '' ? '' : `?${new URLSearchParams({ region }).toString()}`
  return `https://api.gladia.io/v2/live${query}`
}

const session = z.object({ url: z.string() })

const message = z.object({
  type: z.string(),
  data: z.object({ is_final: z.boolean().optional() }).nullish(),
  error: z.object({ message: z.string() }).nullish(),
})

/** Returns whether a message is the final transcript. Other messages report progress. */
const isFinal = (text: string | Buffer): boolean => {
  const { type, data, error } = parseJson({ body: Buffer.from(text.toString()) }, message)
  if (error) throw new VendorError(error.message)
  return type === 'transcript' && data?.is_final === true
}

export const gladia: SpeechVendor = {
  async testStt(credential, context) {
    const request = jsonRequest(settings, { 'x-gladia-key': textField(credential, 'api_key') })
    const { url } = parseJson(await sendRequest(context, createUrl(credential), request), session)
    const socket = await context.outgoing.connect(url, { stop: context.stop })
    try {
      await socket.send(wav)
      await socket.send(JSON.stringify({ type: 'stop_recording' }))
      for await (const text of socket.messages) if (isFinal(text)) return 'ok'
    } finally {
      socket.close()
    }
    throw new VendorError('no transcript returned')
  },
}
