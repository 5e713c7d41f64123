import { isDeepStrictEqual } from 'node:util'
import {
  areNonEmptyStrings,
  type FakeAnswer,
  type FakeRequest,
  type FakeVendor,
  parseJsonBody,
  spoken,
} from './fake-vendor.ts'

const key = 'cartesia-key-of-the-tests'

const mp3Format = { container: 'mp3', bit_rate: 128_000, sample_rate: 48_000 }

const voices = [
  { id: '694f9389-aac1-45b6-b726-9d9369183238', name: 'Sarah', description: 'Soothing', language: 'en' },
  { id: 'a-french-one', name: 'Amélie', description: '', language: 'fr' },
  { id: 'a-dane', name: 'Freja', description: 'Warm', language: 'da' },
]

const speak = (request: FakeRequest): FakeAnswer => {
  const { model_id, transcript, voice, language, output_format } = parseJsonBody(request)
  const { mode, id } = { ...Object(voice) } as Record<string, unknown>
  if (!/^sonic(?:-|$)/.test(String(model_id))) return { status: 404, body: 'model not found' }
  if (!areNonEmptyStrings(transcript, language) || mode !== 'id')
    return { status: 400, body: 'transcript, language, voice' }
  if (!voices.some((candidate) => candidate.id === id)) return { status: 404, body: 'voice not found' }
  return isDeepStrictEqual(output_format, mp3Format) ? spoken : { status: 400, body: 'invalid output_format' }
}

export const cartesia: FakeVendor = {
  name: 'cartesia',
  hosts: ['api.cartesia.ai'],
  credential: { api_key: key, model_id: 'sonic-2', stt_model_id: 'ink-whisper' },
  checked: { api_key: ['tts', 'stt'], model_id: ['tts', 'stt'] },
  answer(request) {
    const { method, url, headers } = request
    if (headers['cartesia-version'] !== '2024-06-10') return { status: 400, body: 'Cartesia-Version is required' }
    if (headers['x-api-key'] !== key) return { status: 401, body: 'Invalid API key' }
    if (`${method} ${url.pathname}` === 'POST /tts/bytes') return speak(request)
    if (`${method} ${url.pathname}` === 'GET /voices') return { body: voices }
    return { status: 404 }
  },
}
