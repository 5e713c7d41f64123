import { type FakeVendor, mp3, parseJsonBody, pcm } from './fake-vendor.ts'

const token = 'token-of-the-tests'

/** The voice determines the content type of the response. */
export const custom: FakeVendor = {
  name: 'custom',
  hosts: ['voices.example.com'],
  credential: { auth_token: token, custom_tts_url: 'https://voices.example.com/say?by=patchbay' },
  checked: {},
  answer(request) {
    const { method, url, headers } = request
    if (headers.authorization !== `Bearer ${token}`) return { status: 401 }
    if (`${method} ${url.pathname}${url.search}` !== 'POST /say?by=patchbay') return { status: 404 }
    const { language, voice, type, text } = parseJsonBody(request)
    const isValid = language === 'en-US' && typeof text === 'string' && typeof voice === 'string'
    if (!isValid || type !== (text.startsWith('<speak') ? 'ssml' : 'text')) return { status: 400 }
    return { headers: { 'content-type': voice }, body: /mp/.test(voice) ? mp3 : pcm }
  },
}
