import {
  areNonEmptyStrings,
  type FakeAnswer,
  type FakeRequest,
  type FakeVendor,
  parseJsonBody,
  spoken,
} from './fake-vendor.ts'

const key = 'elevenlabs-key-of-the-tests'

const refused = (status: number, code: string, message: string): FakeAnswer => ({
  status,
  body: { detail: { status: code, message } },
})

const models = [
  {
    model_id: 'eleven_turbo_v2_5',
    name: 'Turbo v2.5',
    languages: [
      { language_id: 'hu', name: 'Hungarian' },
      { language_id: 'en', name: 'English' },
    ],
  },
  { model_id: 'eleven_english_sts_v2', name: 'English v2', languages: null },
]

const voices = [
  {
    voice_id: '21m00Tcm4TlvDq8ikWAM',
    name: 'Rachel',
    category: 'premade',
    labels: { accent: 'american', description: 'calm', age: 'young', gender: 'female', use_case: 'narration' },
  },
  { voice_id: 'aClone', name: 'My own', category: 'cloned', labels: {} },
  { voice_id: 'older', name: 'Antoni', category: 'premade', labels: { accent: 'american', 'use case': 'news' } },
]

const speak = (request: FakeRequest, voice: string): FakeAnswer => {
  const { text, model_id, voice_settings } = parseJsonBody(request)
  if (request.headers.accept !== 'audio/mpeg') return refused(406, 'not_acceptable', 'Only audio/mpeg')
  if (!areNonEmptyStrings(text)) return refused(422, 'invalid_body', 'text is required')
  if (!models.some((model) => model.model_id === model_id))
    return refused(400, 'model_not_found', 'A model with this ID does not exist')
  if (!voices.some(({ voice_id }) => voice_id === voice))
    return refused(404, 'voice_not_found', 'A voice with this ID was not found.')
  const { stability, similarity_boost } = { ...Object(voice_settings) } as Record<string, unknown>
  const isShare = (value: unknown) => typeof value === 'number' && value >= 0 && value <= 1
  return isShare(stability) && isShare(similarity_boost) ? spoken : refused(422, 'invalid_body', 'voice_settings')
}

export const elevenlabs: FakeVendor = {
  name: 'elevenlabs',
  hosts: ['api.elevenlabs.io', 'api.eu.residency.elevenlabs.io'],
  credential: { api_key: key, model_id: 'eleven_turbo_v2_5', api_uri: 'api.eu.residency.elevenlabs.io' },
  checked: { api_key: ['tts'], model_id: ['tts'], api_uri: ['tts'] },
  answer(request) {
    const { method, url, headers } = request
    if (headers['xi-api-key'] !== key) return refused(401, 'invalid_api_key', 'Invalid API key')
    const voice = /^\/v1\/text-to-speech\/([^/]+)$/.exec(url.pathname)?.[1]
    if (method === 'POST' && voice !== undefined) return speak(request, decodeURIComponent(voice))
    if (method === 'GET' && url.pathname === '/v1/models') return { body: models }
    if (method === 'GET' && url.pathname === '/v1/voices') return { body: { voices } }
    return refused(404, 'not_found', 'Not Found')
  },
}
