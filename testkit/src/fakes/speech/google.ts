import { generateKeyPairSync } from 'node:crypto'
import { jwtVerify } from 'jose'
import {
  areNonEmptyStrings,
  type FakeAnswer,
  type FakeRequest,
  type FakeVendor,
  isRecording,
  mp3,
  parseJsonBody,
} from './fake-vendor.ts'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

const account = {
  type: 'service_account',
  project_id: 'speech',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  client_email: 'speech@project.iam.gserviceaccount.com',
  token_uri: 'https://elsewhere.example/token',
}

const token = 'google-token-of-the-tests'

const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

const refused = (status: number, message: string): FakeAnswer => ({
  status,
  body: { error: { code: status, message, status: 'INVALID_ARGUMENT' } },
})

const badGrant = (error_description: string): FakeAnswer => ({
  status: 400,
  body: { error: 'invalid_grant', error_description },
})

const handToken = async ({ body }: FakeRequest): Promise<FakeAnswer> => {
  const form = new URLSearchParams(body.toString())
  if (form.get('grant_type') !== grantType) return badGrant('Unknown grant type')
  try {
    const { payload } = await jwtVerify(form.get('assertion') ?? '', publicKey, {
      algorithms: ['RS256'],
      audience: 'https://oauth2.googleapis.com/token',
      maxTokenAge: '1h',
    })
    if (payload.iss !== account.client_email) return badGrant('Invalid grant: account not found')
    if (payload['scope'] !== 'https://www.googleapis.com/auth/cloud-platform') return badGrant('scope')
  } catch {
    return badGrant('Invalid JWT Signature.')
  }
  return { body: { access_token: token, expires_in: 3599, token_type: 'Bearer' } }
}

const voices = [
  { languageCodes: ['en-US'], name: 'en-US-Standard-C', ssmlGender: 'FEMALE', naturalSampleRateHertz: 24000 },
  { languageCodes: ['xx-XX', 'en-US'], name: 'Kore', ssmlGender: 'FEMALE', naturalSampleRateHertz: 24000 },
  { languageCodes: ['en-US'], name: 'en-US-Wavenet-D', ssmlGender: 'MALE', naturalSampleRateHertz: 24000 },
]

/** Custom voices of the account: a model with reported usage OFFLINE, and a cloning key. */
export const ownModel = 'projects/speech/locations/us-central1/models/ours'
export const cloningKey = 'cloning-key-of-the-tests'

const speak = (request: FakeRequest): FakeAnswer => {
  const { input, voice, audioConfig } = parseJsonBody(request) as Record<string, Record<string, unknown> | undefined>
  if (Boolean(input?.['text']) === Boolean(input?.['ssml'])) return refused(400, 'Either text or ssml')
  if (!areNonEmptyStrings(voice?.['languageCode'])) return refused(400, 'voice.languageCode is required')
  if (audioConfig?.['audioEncoding'] !== 'MP3') return refused(400, 'audioConfig.audioEncoding')
  const { customVoice, voiceClone } = (voice ?? {}) as Record<string, Record<string, unknown> | undefined>
  const isOwn =
    (customVoice?.['model'] === ownModel && customVoice['reportedUsage'] === 'OFFLINE') ||
    voiceClone?.['voiceCloningKey'] === cloningKey
  if ((customVoice ?? voiceClone) && (voice?.['name'] || !isOwn)) return refused(400, 'Custom voice does not exist.')
  if (!isOwn && !voices.some(({ name }) => name === voice?.['name'])) return refused(400, `Voice does not exist.`)
  return { body: { audioContent: mp3.toString('base64') } }
}

const hear = (request: FakeRequest): FakeAnswer => {
  const { config, audio } = parseJsonBody(request) as Record<string, Record<string, unknown> | undefined>
  const { sampleRateHertz, languageCode, model } = config ?? {}
  if (sampleRateHertz !== 8000 || languageCode !== 'en-US' || model !== 'default') return refused(400, 'config')
  if (!isRecording(Buffer.from(String(audio?.['content']), 'base64'))) return refused(400, 'audio.content')
  return { body: { results: [{ alternatives: [{ transcript: 'patchbay', confidence: 0.9 }] }] } }
}

export const google: FakeVendor = {
  name: 'google',
  hosts: ['oauth2.googleapis.com', 'texttospeech.googleapis.com', 'speech.googleapis.com'],
  credential: account,
  checked: { private_key: ['tts', 'stt'], client_email: ['tts', 'stt'] },
  answer(request) {
    const { method, url, headers } = request
    const owner = `${method} ${url.host}${url.pathname}`
    if (owner === 'POST oauth2.googleapis.com/token') return handToken(request)
    if (headers.authorization !== `Bearer ${token}`) return refused(401, 'Invalid Credentials')
    switch (owner) {
      case 'GET texttospeech.googleapis.com/v1/voices':
        return { body: { voices } }
      case 'POST texttospeech.googleapis.com/v1/text:synthesize':
        return speak(request)
      case 'POST speech.googleapis.com/v1p1beta1/speech:recognize':
        return hear(request)
      default:
        return refused(404, 'Not Found')
    }
  },
}
