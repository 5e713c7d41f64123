import { type FakeAnswer, type FakeVendor, isRecording, parseJsonBody, spoken } from './fake-vendor.ts'

const key = 'deepgram-key-of-the-tests'

const refused: FakeAnswer = {
  status: 401,
  body: { err_code: 'INVALID_AUTH', err_msg: 'Invalid credentials.', request_id: 'c0ffee' },
}

const models = {
  stt: [
    { name: 'nova-3', canonical_name: 'nova-3', languages: ['en', 'en-US', 'de'] },
    { name: 'whisper', canonical_name: 'whisper', languages: ['tlh'] },
  ],
  tts: [{ name: 'asteria', canonical_name: 'aura-asteria-en', languages: ['en'] }],
  languages: { en: 'English', 'en-US': 'English (United States)', tlh: 'Klingon' },
}

export const deepgram: FakeVendor = {
  name: 'deepgram',
  hosts: ['api.deepgram.com'],
  credential: { api_key: key },
  checked: { api_key: ['tts', 'stt'] },
  answer(request) {
    const { method, url, headers, body } = request
    if (headers.authorization?.toLowerCase() !== `token ${key}`) return refused
    switch (`${method} ${url.pathname}`) {
      case 'POST /v1/speak':
        if (!url.searchParams.get('model')?.startsWith('aura-') || typeof parseJsonBody(request)['text'] !== 'string')
          return { status: 400, body: { err_code: 'Bad Request', err_msg: 'No such model/text.' } }
        return spoken
      case 'POST /v1/listen':
        if (headers['content-type'] !== 'audio/wav' || !isRecording(body))
          return { status: 400, body: { err_code: 'Bad Request', err_msg: 'failed to process audio' } }
        return { body: { results: { channels: [{ alternatives: [{ transcript: 'Patchbay', confidence: 0.9 }] }] } } }
      case 'GET /v1/models':
        return { body: models }
      default:
        return { status: 404 }
    }
  },
}
