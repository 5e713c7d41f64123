import {
  areNonEmptyStrings,
  type FakeAnswer,
  type FakeRequest,
  type FakeVendor,
  mp3,
  parseJsonBody,
} from './fake-vendor.ts'

const key = Buffer.from('inworld:key-of-the-tests').toString('base64')

/** Creates an error in the format of the gRPC gateway. */
const refused = (status: number, code: number, message: string): FakeAnswer => ({
  status,
  body: { code, message, details: [] },
})

const voices = [
  { voiceId: 'Ashley', displayName: 'Ashley', languages: ['en', 'es'] },
  { voiceId: 'heitor', displayName: '', languages: ['pt'] },
  { voiceId: 'nobody' },
]

const speak = (request: FakeRequest): FakeAnswer => {
  const { text, voiceId, modelId, audioConfig } = parseJsonBody(request)
  if (!areNonEmptyStrings(text)) return refused(400, 3, 'text is required')
  if (!voices.some((voice) => voice.voiceId === voiceId))
    return refused(404, 5, `Unknown voice: ${String(voiceId)} not found!`)
  if (modelId !== 'inworld-tts-1') return refused(400, 3, `Unknown model: ${String(modelId)}`)
  const { audioEncoding } = { ...Object(audioConfig) } as Record<string, unknown>
  return audioEncoding === 'MP3' ? { body: { audioContent: mp3.toString('base64') } } : refused(400, 3, 'audioEncoding')
}

export const inworld: FakeVendor = {
  name: 'inworld',
  hosts: ['api.inworld.ai'],
  credential: { api_key: key, model_id: 'inworld-tts-1' },
  checked: { api_key: ['tts'], model_id: ['tts'] },
  answer(request) {
    const { method, url, headers } = request
    if (headers.authorization !== `Basic ${key}`) return refused(401, 16, 'Invalid authorization credentials')
    if (`${method} ${url.pathname}` === 'POST /tts/v1/voice') return speak(request)
    if (`${method} ${url.pathname}` === 'GET /tts/v1/voices') return { body: { voices } }
    return refused(404, 5, 'Not Found')
  },
}
