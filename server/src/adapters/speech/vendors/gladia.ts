import { z } from 'zod'
import { ask, json, read } from '../vendor-http.ts'
import { sampleRate, wav } from '../test-audio.ts'
import { type Credential, type SpeechVendor, textField, VendorRefused } from '../speech.ts'

/** Gladia (docs.gladia.io): /v2/live opens a session, whose WebSocket takes the audio. */

const settings = {
  model: 'solaria-1',
  encoding: 'wav/pcm',
  sample_rate: sampleRate,
  bit_depth: 16,
  channels: 1,
  language_config: { languages: ['en'], code_switching: false },
  messages_config: { receive_acknowledgments: true },
}

const addressOf = (credential: Credential): string => {
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

/** Whether this is the final transcript; other messages tell of the progress. */
const isFinal = (text: string | Buffer): boolean => {
  const { type, data, error } = read({ body: Buffer.from(text.toString()) }, message)
  if (error) throw new VendorRefused(error.message)
  return type === 'transcript' && data?.is_final === true
}

export const gladia: SpeechVendor = {
  async tryStt(credential, far) {
    const request = json(settings, { 'x-gladia-key': textField(credential, 'api_key') })
    const { url } = read(await ask(far, addressOf(credential), request), session)
    const socket = await far.outgoing.connect(url, { stop: far.stop })
    try {
      await socket.send(wav)
      await socket.send(JSON.stringify({ type: 'stop_recording' }))
      for await (const text of socket.messages) if (isFinal(text)) return 'ok'
    } finally {
      socket.close()
    }
    throw new VendorRefused('no transcript returned')
  },
}
