import { z } from 'zod'
import { callGrpc } from '../grpc.ts'
import { synthesizer } from '../protocols/nuance-tts.ts'
import { type Credential, isSsml, type SpeechVendor, textField, type VendorContext, VendorError } from '../speech.ts'
import { sampleRate } from '../test-audio.ts'
import { parseJson, sendRequest } from '../vendor-http.ts'

/** Nuance's synthesizer over gRPC (docs.nuance.com/mix/apis/tts-grpc), in its cloud or on premise. */

const tokenUrl = 'https://auth.crt.nuance.com/oauth2/token'

const tokenResponse = z.object({ access_token: z.string() })

const requestToken = async (credential: Credential, context: VendorContext): Promise<string> => {
  const client = `${encodeURIComponent(textField(credential, 'client_id'))}:${textField(credential, 'secret')}`
  const request = {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(client).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'tts' }),
  }
  const answer = await sendRequest(context, tokenUrl, request, ({ status }) =>
    status === 401 ? 'invalid client_id or secret' : '',
  )
  return parseJson(answer, tokenResponse).access_token
}

/** Calls a method of the synthesizer. Servers on premise use no TLS and no token. */
const callSynthesizer = async (
  method: string,
  message: object,
  credential: Credential,
  context: VendorContext,
): Promise<unknown> => {
  const ownServer = textField(credential, 'nuance_tts_uri')
  const endpoint =
    ownServer === ''
      ? { url: 'https://tts.api.nuance.com', token: await requestToken(credential, context) }
      : { url: `http://${ownServer}` }
  return callGrpc(context, { ...endpoint, service: synthesizer, method, message })
}

/** Splits a stored voice name: `Evan - enhanced` is the voice Evan of the model enhanced. */
const parseVoice = (text: string): { name: string; model: string } => {
  const [, name = text, model = 'enhanced'] = /^(.*) - (enhanced|standard)$/.exec(text) ?? []
  return { name, model }
}

const synthesisResponse = z.object({
  status: z.object({ code: z.number(), message: z.string(), details: z.string() }).nullable(),
  audio: z.instanceof(Buffer),
})

export const nuance: SpeechVendor = {
  async testTts(credential, context) {
    await callSynthesizer('GetVoices', {}, credential, context)
    return 'ok'
  },

  /**
   * Always succeeds without a request, as in jambonz
   * (docs/reference/platform-api/speech-vendor-requests.md#recognition-tests).
   */
  testStt: () => Promise.resolve('ok'),

  async synthesize(credential, { text, voice }, context) {
    const message = {
      voice: parseVoice(voice),
      audioParams: { audioFormat: { pcm: { sampleRateHz: sampleRate } } },
      input: isSsml(text) ? { ssml: { text } } : { text: { text } },
    }
    const { status, audio } = synthesisResponse.parse(
      await callSynthesizer('UnarySynthesize', message, credential, context),
    )
    if (status !== null && status.code !== 200) throw new VendorError(status.details || status.message)
    if (audio.length === 0) throw new VendorError('The vendor answered without audio')
    return { type: 'pcm', content: audio, sampleRate }
  },
}
