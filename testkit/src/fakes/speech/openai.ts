import {
  areNonEmptyStrings,
  type FakeAnswer,
  type FakeRequest,
  type FakeVendor,
  isRecording,
  parseFormBody,
  parseJsonBody,
  spoken,
} from './fake-vendor.ts'

export const openaiKey = 'openai-key-of-the-tests'

const refused = (status: number, message: string): FakeAnswer => ({
  status,
  body: { error: { message, type: 'invalid_request_error', param: null, code: null } },
})

const transcribe = async (request: FakeRequest): Promise<FakeAnswer> => {
  const form = await parseFormBody(request)
  const file = form.get('file')
  if (form.get('model') !== 'whisper-1') return refused(400, 'you must provide a model parameter')
  if (!(file instanceof File) || !file.name.endsWith('.wav') || file.type !== 'audio/wav')
    return refused(400, 'Unrecognized file format.')
  if (!isRecording(Buffer.from(await file.arrayBuffer()))) return refused(400, 'The audio file could not be decoded')
  return { body: { text: 'Patchbay is testing this speech service.' } }
}

const speak = (request: FakeRequest): FakeAnswer => {
  const { model, voice, input, response_format } = parseJsonBody(request)
  if (!['tts-1', 'tts-1-hd', 'gpt-4o-mini-tts'].includes(String(model)))
    return refused(404, `The model '${String(model)}' does not exist`)
  if (!areNonEmptyStrings(input) || response_format !== 'mp3') return refused(400, 'input, response_format')
  return voice === 'alloy' || voice === 'echo' ? spoken : refused(400, `Unknown voice '${String(voice)}'`)
}

/** The host also serves whisper. */
export const openai: FakeVendor = {
  name: 'openai',
  hosts: ['api.openai.com'],
  credential: { api_key: openaiKey, model_id: 'gpt-4o-transcribe' },
  checked: { api_key: ['stt'] },
  answer(request) {
    const { method, url, headers } = request
    if (headers.authorization !== `Bearer ${openaiKey}`) return refused(401, 'Incorrect API key provided.')
    switch (`${method} ${url.pathname}`) {
      case 'POST /v1/audio/transcriptions':
        return transcribe(request)
      case 'POST /v1/audio/speech':
        return speak(request)
      default:
        return refused(404, `Invalid URL (${method} ${url.pathname})`)
    }
  },
}
