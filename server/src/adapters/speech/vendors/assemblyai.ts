import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { ask, json, read } from '../vendor-http.ts'
import { wav } from '../test-audio.ts'
import { type SpeechVendor, textField, VendorRefused } from '../speech.ts'

/** AssemblyAI's API (assemblyai.com/docs): /v2/upload, /v2/transcript; the same key serves its streaming (v3). */

const cloud = 'https://api.assemblyai.com/v2'

const second = 1000

const uploaded = z.object({ upload_url: z.string() })
const transcript = z.object({
  id: z.string(),
  status: z.enum(['queued', 'processing', 'completed', 'error']),
  error: z.string().nullish(),
})

export const assemblyai: SpeechVendor = {
  async tryStt(credential, far) {
    const headers = { authorization: textField(credential, 'api_key') }
    const upload = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/octet-stream' },
      body: wav,
    }
    const { upload_url } = read(await ask(far, `${cloud}/upload`, upload), uploaded)
    const started = await ask(far, `${cloud}/transcript`, json({ audio_url: upload_url }, headers))
    const { id } = read(started, transcript)
    for (;;) {
      const { status, error } = read(await ask(far, `${cloud}/transcript/${id}`, { headers }), transcript)
      if (status === 'error') throw new VendorRefused(error || 'The vendor could not transcribe')
      if (status === 'completed') return 'ok'
      await pause(second, undefined, { signal: far.stop })
    }
  },
}
