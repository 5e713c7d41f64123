import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { type SpeechVendor, textField, type VendorContext, VendorError } from '../speech.ts'
import { wav } from '../test-audio.ts'
import { jsonRequest, parseJson, sendRequest } from '../vendor-http.ts'

/**
 * Soniox's API (soniox.com/docs/stt/api-reference): /v1/models, /v1/files, /v1/transcriptions. The vendor has
 * deprecated the gRPC service of docs/reference/platform-api/speech-vendor-requests.md#recognition-tests and its model
 * en_v2, so a new key may not work there. Models are replaced within a year, so the test uses one that the vendor
 * lists.
 */

const cloud = 'https://api.soniox.com/v1'

const second = 1000

const models = z.object({ models: z.array(z.object({ id: z.string(), transcription_mode: z.string() })) })
const created = z.object({ id: z.string() })
const transcription = z.object({
  status: z.enum(['queued', 'processing', 'completed', 'error']),
  error_message: z.string().nullish(),
})
const transcript = z.object({ text: z.string() })

type Headers = Readonly<Record<string, string>>

/**
 * Deletes an uploaded file or a transcription, because both count against a quota until they are deleted. Uses a
 * timeout of its own so that it also runs after the operation has timed out.
 */
const deleteResource = async ({ outgoing }: VendorContext, headers: Headers, path: string): Promise<void> => {
  try {
    await sendRequest({ outgoing, stop: AbortSignal.timeout(5 * second) }, `${cloud}${path}`, {
      method: 'DELETE',
      headers,
    })
  } catch {
    // A failed deletion does not change whether recognition works.
  }
}

const upload = async (headers: Headers, context: VendorContext): Promise<string> => {
  const body = new FormData()
  body.set('file', new Blob([new Uint8Array(wav)], { type: 'audio/wav' }), 'test.wav')
  return parseJson(await sendRequest(context, `${cloud}/files`, { method: 'POST', headers, body }), created).id
}

const waitUntilCompleted = async (path: string, headers: Headers, context: VendorContext): Promise<void> => {
  for (;;) {
    const { status, error_message } = parseJson(
      await sendRequest(context, `${cloud}${path}`, { headers }),
      transcription,
    )
    if (status === 'error') throw new VendorError(error_message || 'The vendor could not transcribe the audio')
    if (status === 'completed') return
    await pause(second, undefined, { signal: context.stop })
  }
}

const transcribe = async (
  model: string,
  file_id: string,
  headers: Headers,
  context: VendorContext,
): Promise<string> => {
  const started = await sendRequest(
    context,
    `${cloud}/transcriptions`,
    jsonRequest({ model, file_id, language_hints: ['en'] }, headers),
  )
  const path = `/transcriptions/${parseJson(started, created).id}`
  try {
    await waitUntilCompleted(path, headers, context)
    return parseJson(await sendRequest(context, `${cloud}${path}/transcript`, { headers }), transcript).text
  } finally {
    await deleteResource(context, headers, path)
  }
}

export const soniox: SpeechVendor = {
  async testStt(credential, context) {
    const headers = { authorization: `Bearer ${textField(credential, 'api_key')}` }
    const availableModels = parseJson(await sendRequest(context, `${cloud}/models`, { headers }), models).models
    const model = availableModels.find(({ transcription_mode }) => transcription_mode === 'async')
    if (model === undefined) throw new VendorError('The vendor offers no model that transcribes files')
    const file = await upload(headers, context)
    try {
      const text = await transcribe(model.id, file, headers, context)
      if (text.trim() === '') throw new VendorError('no transcript returned')
      return 'ok'
    } finally {
      await deleteResource(context, headers, `/files/${file}`)
    }
  },
}
