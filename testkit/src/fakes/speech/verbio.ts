import {
  areNonEmptyStrings,
  type FakeAnswer,
  type FakeRequest,
  type FakeVendor,
  isRecording,
  parseJsonBody,
  pcm,
} from './fake-vendor.ts'

const client = { client_id: 'verbio-client-of-the-tests', client_secret: 'verbio-secret-of-the-tests' }

const token = 'verbio-token-of-the-tests'

const handToken = (request: FakeRequest): FakeAnswer => {
  const { client_id, client_secret } = parseJsonBody(request)
  if (client_id !== client.client_id || client_secret !== client.client_secret)
    return { status: 401, body: { error: 'invalid_client' } }
  return { body: { access_token: token, expiration_time: Math.floor(Date.now() / 1000) + 3600 } }
}

const voices = [
  { voice_id: 'tommy_en_us', name: 'Tommy-Male', language: 'en-US' },
  { voice_id: 'bel_pt_br', name: 'Bel-Female', language: 'pt-BR' },
  { voice_id: 'miguel_es_pe', name: 'Miguel-Male', language: 'es-PE' },
  { voice_id: 'luz_es_pe', name: 'Luz-Female', language: 'es-PE' },
]

const rawAudio: FakeAnswer = { headers: { 'content-type': 'audio/l16' }, body: pcm }

const speak = (request: FakeRequest): FakeAnswer => {
  const { voice_id, output_sample_rate, output_encoding, text } = parseJsonBody(request)
  const isRaw = output_sample_rate === '8k' && output_encoding === 'pcm16'
  return areNonEmptyStrings(voice_id, text) && isRaw
    ? rawAudio
    : { status: 422, body: { detail: 'voice_id, text, encoding' } }
}

const hear = ({ url, headers, body }: FakeRequest): FakeAnswer => {
  const { language, version } = Object.fromEntries(url.searchParams)
  if (language !== 'en-US' || version !== 'V1') return { status: 400, body: { detail: 'language, version' } }
  const isAudio = headers['content-type'] === 'audio/wav' && isRecording(body)
  return isAudio ? { body: { results: [{ transcript: 'patchbay' }] } } : { status: 415, body: { detail: 'audio' } }
}

export const verbio: FakeVendor = {
  name: 'verbio',
  hosts: ['auth.speechcenter.verbio.com', 'us.rest.speechcenter.verbio.com'],
  credential: { ...client, engine_version: 'V1' },
  checked: { client_id: ['tts', 'stt'], client_secret: ['tts', 'stt'] },
  answer(request) {
    const { method, url, headers } = request
    const owner = `${method} ${url.host}${url.pathname}`
    if (owner === 'POST auth.speechcenter.verbio.com:444/api/v1/token') return handToken(request)
    if (headers.authorization !== `Bearer ${token}`) return { status: 401, body: { detail: 'Not authenticated' } }
    if (headers['user-agent'] !== 'jambonz') return { status: 403 }
    switch (owner) {
      case 'POST us.rest.speechcenter.verbio.com/api/v1/synthesize':
        return speak(request)
      case 'POST us.rest.speechcenter.verbio.com/api/v1/recognize':
        return hear(request)
      case 'GET us.rest.speechcenter.verbio.com/api/v1/voices':
        return { body: { voices } }
      default:
        return { status: 404 }
    }
  },
}
