import { type FakeVendor, parseJsonBody, mp3, pcm } from './fake-vendor.ts'

const token = 'token-of-the-tests'

/** The voice names the type that is answered. */
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
    const isAsked = language === 'en-US' && typeof text === 'string' && typeof voice === 'string'
    if (!isAsked || type !== (text.startsWith('<speak') ? 'ssml' : 'text')) return { status: 400 }
    return { headers: { 'content-type': voice }, body: /mp/.test(voice) ? mp3 : pcm }
  },
}
