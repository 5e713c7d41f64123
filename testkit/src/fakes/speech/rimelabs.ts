import {
  areNonEmptyStrings,
  type FakeAnswer,
  type FakeRequest,
  type FakeVendor,
  mp3,
  parseJsonBody,
} from './fake-vendor.ts'

const key = 'rime-key-of-the-tests'

const voices = {
  mistv2: { eng: ['amber', 'cove'], spa: ['isa'] },
  arcana: { eng: ['luna'] },
}

const speak = (request: FakeRequest): FakeAnswer => {
  const { speaker, text, modelId, samplingRate, lang } = parseJsonBody(request)
  const voicesByModel: Record<string, Record<string, string[]>> = voices
  if (request.headers.accept !== 'audio/mp3') return { status: 406, body: { error: 'Accept' } }
  if (!areNonEmptyStrings(text) || samplingRate !== 8000) return { status: 400, body: { error: 'text, samplingRate' } }
  if (!voicesByModel[String(modelId)]?.[String(lang)]?.includes(String(speaker)))
    return { status: 400, body: { error: 'No such model, language or speaker' } }
  return { headers: { 'content-type': 'audio/mp3' }, body: mp3 }
}

export const rimelabs: FakeVendor = {
  name: 'rimelabs',
  hosts: ['users.rime.ai'],
  credential: { api_key: key, model_id: 'mistv2' },
  checked: { api_key: ['tts'], model_id: ['tts'] },
  answer(request) {
    const { method, url, headers } = request
    if (`${method} ${url.pathname}` === 'GET //data/voices/all-v2.json') return { body: voices }
    if (`${method} ${url.pathname}` !== 'POST /v1/rime-tts') return { status: 404 }
    return headers.authorization === `Bearer ${key}` ? speak(request) : { status: 401, body: { error: 'Unauthorized' } }
  },
}
