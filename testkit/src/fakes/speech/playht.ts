import {
  areNonEmptyStrings,
  type FakeAnswer,
  type FakeRequest,
  type FakeVendor,
  parseJsonBody,
  spoken,
} from './fake-vendor.ts'

const key = 'playht-key-of-the-tests'
const user = 'playht-user-of-the-tests'

const testVoice = 's3://voice-cloning-zero-shot/d9ff78ba-d016-47f6-b0ef-dd630f59414e/female-cs/manifest.json'

const engines = ['Play3.0', 'PlayHT2.0-turbo', 'PlayHT2.0', 'PlayHT1.0', 'PlayDialog']

const voices = [
  {
    id: testVoice,
    name: 'Samara',
    language: 'English (US)',
    language_code: 'en-US',
    voice_engine: 'PlayHT2.0',
    accent: 'american',
    age: 'adult',
    gender: 'female',
    loudness: 'neutral',
    style: 'narrative',
    tempo: 'neutral',
    texture: null,
  },
  {
    id: 'abril',
    name: 'Abril',
    language: 'Spanish',
    language_code: 'es-ES',
    voice_engine: 'PlayHT1.0',
    gender: 'female',
  },
]

const cloned = [{ id: 's3://mine', name: 'Mine', type: 'instant', gender: 'male', voice_engine: 'PlayHT2.0' }]

const refused = (status: number, message: string): FakeAnswer => ({
  status,
  body: `{"error_message":"${message}","error_id":"REFUSED"}`,
})

const speak = (request: FakeRequest, isEngine: (engine: unknown) => boolean): FakeAnswer => {
  const { text, voice, voice_engine, output_format, sample_rate } = parseJsonBody(request)
  if (!areNonEmptyStrings(text, voice)) return refused(400, 'text and voice are required')
  if (!isEngine(voice_engine)) return refused(400, 'No such voice_engine')
  if (output_format !== 'mp3' || sample_rate !== 8000) return refused(400, 'output_format, sample_rate')
  return request.headers.accept === 'audio/mpeg' ? spoken : { status: 406 }
}

const owner = { host: 'inference.play.ht', path: '/api/v2/tts/stream', token: 'lease-of-the-tests' }

const speakAtPlace = (request: FakeRequest): FakeAnswer => {
  const { method, url, headers } = request
  if (method !== 'POST' || url.pathname !== owner.path) return { status: 404 }
  if (url.searchParams.get('token') !== owner.token) return refused(403, 'The lease is not valid')
  if (headers.authorization !== undefined) return refused(400, 'The key is not for this host')
  if (!areNonEmptyStrings(parseJsonBody(request)['language'])) return refused(400, 'language is required')
  return speak(request, (engine) => engine === 'Play3.0')
}

export const playht: FakeVendor = {
  name: 'playht',
  hosts: ['api.play.ht', owner.host],
  credential: { api_key: key, user_id: user, voice_engine: 'Play3.0' },
  checked: { api_key: ['tts'], user_id: ['tts'], voice_engine: ['tts'] },
  answer(request) {
    const { method, url, headers } = request
    if (url.hostname === owner.host) return speakAtPlace(request)
    if (headers.authorization !== key || headers['x-user-id'] !== user)
      return refused(403, 'The secret key and the user id do not belong together')
    switch (`${method} ${url.pathname}`) {
      case 'POST /api/v3/auth': {
        const inference_address = `https://${owner.host}${owner.path}?token=${owner.token}`
        return { status: 201, body: { inference_address, expires_at_ms: Date.now() + 3_600_000 } }
      }
      case 'POST /api/v2/tts/stream':
        return speak(request, (engine) => engine !== 'Play3.0' && engines.includes(String(engine)))
      case 'GET /api/v2/voices':
        return { body: voices }
      case 'GET /api/v2/cloned-voices':
        return { body: cloned }
      default:
        return { status: 404 }
    }
  },
}
