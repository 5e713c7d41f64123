import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { type SpeechVendor, textField, VendorError } from '../speech.ts'
import { wav } from '../test-audio.ts'
import { jsonRequest, parseJson, sendRequest } from '../vendor-http.ts'

/** AssemblyAI's API (assemblyai.com/docs): /v2/upload, /v2/transcript. The same key is valid for streaming (v3). */

const cloud = 'https://api.assemblyai.com/v2'

const second = 1000

const uploadResponse = z.object({ upload_url: z.string() })
const transcript = z.object({
  id: z.string(),
  status: z.enum(['queued', 'processing', 'completed', 'error']),
  error: z.string().nullish(),
})

export const assemblyai: SpeechVendor = {
  async testStt(credential, context) {
    const headers = { authorization: textField(credential, 'api_key') }
    const upload = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/octet-stream' },
      body: wav,
    }
    const { upload_url } = parseJson(await sendRequest(context, `${cloud}/upload`, upload), uploadResponse)
    const started = await sendRequest(context, `${cloud}/transcript`, jsonRequest({ audio_url: upload_url }, headers))
    const { id } = parseJson(started, transcript)
    for (;;) {
      const { status, error } = parseJson(
        await sendRequest(context, `${cloud}/transcript/${id}`, { headers }),
        transcript,
      )
      if (status === 'error') throw new VendorError(error || 'The vendor could not transcribe the audio')
      if (status === 'completed') return 'ok'
      await pause(second, undefined, { signal: context.stop })
    }
  },
}
