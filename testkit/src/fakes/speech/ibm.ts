import {
  areNonEmptyStrings,
  type FakeAnswer,
  type FakeRequest,
  type FakeVendor,
  mp3,
  parseJsonBody,
} from './fake-vendor.ts'

/** Synthesis and recognition: the API key, the token that IAM issues for it, and the host that accepts the token. */
const halves = [
  {
    key: 'ibm-tts-key-of-the-tests',
    token: 'ibm-tts-token-of-the-tests',
    host: 'api.us-south.text-to-speech.watson.cloud.ibm.com',
  },
  {
    key: 'ibm-stt-key-of-the-tests',
    token: 'ibm-stt-token-of-the-tests',
    host: 'api.eu-de.speech-to-text.watson.cloud.ibm.com',
  },
] as const

const [tts, stt] = halves

const handToken = ({ headers, body }: FakeRequest): FakeAnswer => {
  const form = new URLSearchParams(body.toString())
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded')
  if (!isForm || form.get('grant_type') !== 'urn:ibm:params:oauth:grant-type:apikey')
    return { status: 400, body: { errorCode: 'BXNIM0109E', errorMessage: 'Property missing or empty.' } }
  const half = halves.find(({ key }) => key === form.get('apikey'))
  if (half === undefined)
    return { status: 400, body: { errorCode: 'BXNIM0415E', errorMessage: 'Provided API key could not be found.' } }
  return { body: { access_token: half.token, token_type: 'Bearer', expires_in: 3600 } }
}

const voices = [
  {
    name: 'en-US_MichaelV3Voice',
    language: 'en-US',
    gender: 'male',
    description: 'Michael: American English male voice.',
  },
  { name: 'de-DE_BirgitV3Voice', language: 'de-DE', gender: 'female', description: 'Birgit: Standard German.' },
  { name: 'en-US_LisaV3Voice', language: 'en-US', gender: 'female', description: 'Lisa: American English.' },
]

const speak = (request: FakeRequest): FakeAnswer => {
  if (!voices.some(({ name }) => name === request.url.searchParams.get('voice')))
    return { status: 404, body: { code: 404, error: 'Model not found' } }
  if (request.headers.accept !== 'audio/mp3' || !areNonEmptyStrings(parseJsonBody(request)['text']))
    return { status: 400, body: { code: 400, error: 'text, accept' } }
  return { headers: { 'content-type': 'audio/mp3' }, body: mp3 }
}

export const ibm: FakeVendor = {
  name: 'ibm',
  hosts: ['iam.cloud.ibm.com', tts.host, stt.host],
  credential: { tts_api_key: tts.key, tts_region: 'us-south', stt_api_key: stt.key, stt_region: 'eu-de' },
  checked: { tts_api_key: ['tts'], tts_region: ['tts'], stt_api_key: ['stt'], stt_region: ['stt'] },
  answer(request) {
    const { method, url, headers } = request
    const owner = `${method} ${url.host}${url.pathname}`
    if (owner === 'POST iam.cloud.ibm.com/identity/token') return handToken(request)
    const half = halves.find(({ host }) => host === url.host)
    if (half === undefined || headers.authorization !== `Bearer ${half.token}`)
      return { status: 401, body: { code: 401, error: 'Unauthorized' } }
    switch (owner) {
      case `GET ${tts.host}/v1/voices`:
        return { body: { voices } }
      case `POST ${tts.host}/v1/synthesize`:
        return speak(request)
      case `GET ${stt.host}/v1/models`:
        return { body: { models: [{ name: 'en-US_Telephony', language: 'en-US', rate: 8000 }] } }
      default:
        return { status: 404, body: { code: 404, error: 'Not Found' } }
    }
  },
}
