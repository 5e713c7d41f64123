import { type Server, type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js'
import { synthesizer } from '@patchbay/server/adapters/speech/protocols/nuance-tts'
import { type FakeVendor, pcm } from './fake-vendor.ts'
import { refusal } from './grpc-server.ts'

const id = 'appID:NMDPTRIAL:of the tests'
const secret = 'nuance-secret-of-the-tests'
const token = 'a token of the fake'

const cloud = 'tts.api.nuance.com'

/** An on-premises server without a token. */
const ownServer = 'nuance.example.com'

const knownVoices = [
  { name: 'Evan', model: 'enhanced', language: 'en-US' },
  { name: 'Laila', model: 'standard', language: 'ar-WW' },
]

interface Synthesis {
  voice: { name: string; model: string } | null
  audioParams: { audioFormat: { pcm: { sampleRateHz: number } | null } | null } | null
  input: { text: { text: string } | null; ssml: { text: string } | null } | null
}

/** Wraps a method with a check of the caller's token. */
const guarded =
  <Request, Reply>(answer: (request: Request) => Reply) =>
  (call: ServerUnaryCall<Request, Reply>, done: sendUnaryData<Reply>): void => {
    const [authorization] = call.metadata.get('authorization')
    const isAuthorized = call.getHost() === cloud ? authorization === `Bearer ${token}` : authorization === undefined
    if (!isAuthorized) return done(refusal(status.UNAUTHENTICATED, 'Jwt is missing'))
    done(null, answer(call.request))
  }

const synthesize = ({ voice, audioParams, input }: Synthesis) => {
  const isKnown = knownVoices.some(({ name, model }) => name === voice?.name && model === voice.model)
  const isPcm = audioParams?.audioFormat?.pcm?.sampleRateHz === 8000
  const isText = Boolean(input?.text?.text) !== Boolean(input?.ssml?.text.startsWith('<speak'))
  return isKnown && isPcm && isText
    ? { status: { code: 200, message: 'OK', details: '' }, audio: pcm }
    : { status: { code: 400, message: 'Bad Request', details: 'No such voice' }, audio: Buffer.alloc(0) }
}

export const nuance: FakeVendor = {
  name: 'nuance',
  hosts: ['auth.crt.nuance.com'],
  credential: { client_id: id, secret },
  checked: { client_id: ['tts'], secret: ['tts'] },
  answer({ method, url, headers, body }) {
    if (`${method} ${url.pathname}` !== 'POST /oauth2/token') return { status: 404 }
    const client = Buffer.from(`${encodeURIComponent(id)}:${secret}`).toString('base64')
    if (headers.authorization !== `Basic ${client}`) return { status: 401, body: { error: 'invalid_client' } }
    const form = new URLSearchParams(body.toString())
    if (form.get('grant_type') !== 'client_credentials' || form.get('scope') !== 'tts')
      return { status: 400, body: { error: 'invalid_request' } }
    return { body: { access_token: token, expires_in: 900, scope: 'tts', token_type: 'bearer' } }
  },
  grpc: {
    hosts: [cloud, ownServer],
    serve: (server: Server) =>
      server.addService(synthesizer, {
        GetVoices: guarded(() => ({ voices: knownVoices })),
        UnarySynthesize: guarded(synthesize),
      }),
  },
}
