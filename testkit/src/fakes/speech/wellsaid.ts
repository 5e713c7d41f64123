import { areNonEmptyStrings, type FakeVendor, parseJsonBody, spoken } from './fake-vendor.ts'

const key = 'wellsaid-key-of-the-tests'

export const wellsaid: FakeVendor = {
  name: 'wellsaid',
  hosts: ['api.wellsaidlabs.com'],
  credential: { api_key: key },
  checked: { api_key: ['tts'] },
  answer(request) {
    const { method, url, headers } = request
    if (headers['x-api-key'] !== key) return { status: 401, body: { message: 'Unauthorized' } }
    if (`${method} ${url.pathname}` !== 'POST /v1/tts/stream') return { status: 404 }
    const { text, speaker_id } = parseJsonBody(request)
    if (!areNonEmptyStrings(text, speaker_id))
      return { status: 400, body: { message: 'text and speaker_id are required' } }
    return headers.accept === 'audio/mpeg' ? spoken : { status: 406 }
  },
}
