import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { sendRequest, jsonRequest, parseJson } from '../vendor-http.ts'
import { wav } from '../test-audio.ts'
import { type VendorContext, type SpeechVendor, textField, VendorError } from '../speech.ts'

/**
 * Soniox's API (soniox.com/docs/stt/api-reference): /v1/models, /v1/files, /v1/transcriptions. The gRPC service of
 * api/3-speech.md §2.7.3 and its model en_v2 are what the vendor calls deprecated, so a new key need not work there.
 * Models come and go within a year: one is taken that the vendor names itself.
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

/** What is uploaded stays with the vendor until it is deleted, and counts against a limit: also when time ran out. */
const forget = async ({ outgoing }: VendorContext, headers: Headers, path: string): Promise<void> => {
  try {
    await sendRequest({ outgoing, stop: AbortSignal.timeout(5 * second) }, `${cloud}${path}`, {
      method: 'DELETE',
      headers,
    })
  } catch {
    // Whether recognition works does not depend on it.
  }
}

const upload = async (headers: Headers, context: VendorContext): Promise<string> => {
  const body = new FormData()
  body.set('file', new Blob([new Uint8Array(wav)], { type: 'audio/wav' }), 'test.wav')
  return parseJson(await sendRequest(context, `${cloud}/files`, { method: 'POST', headers, body }), created).id
}

const finished = async (path: string, headers: Headers, context: VendorContext): Promise<void> => {
  for (;;) {
    const { status, error_message } = parseJson(
      await sendRequest(context, `${cloud}${path}`, { headers }),
      transcription,
    )
    if (status === 'error') throw new VendorError(error_message || 'The vendor could not transcribe')
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
    await finished(path, headers, context)
    return parseJson(await sendRequest(context, `${cloud}${path}/transcript`, { headers }), transcript).text
  } finally {
    await forget(context, headers, path)
  }
}

export const soniox: SpeechVendor = {
  async tryStt(credential, context) {
    const headers = { authorization: `Bearer ${textField(credential, 'api_key')}` }
    const offered = parseJson(await sendRequest(context, `${cloud}/models`, { headers }), models).models
    const model = offered.find(({ transcription_mode }) => transcription_mode === 'async')
    if (model === undefined) throw new VendorError('The vendor offers no model that transcribes files')
    const file = await upload(headers, context)
    try {
      const text = await transcribe(model.id, file, headers, context)
      if (text.trim() === '') throw new VendorError('no transcript returned')
      return 'ok'
    } finally {
      await forget(context, headers, `/files/${file}`)
    }
  },
}
