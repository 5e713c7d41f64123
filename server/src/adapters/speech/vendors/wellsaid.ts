import { type SpeechVendor, type Synthesize, testBySynthesis, textField } from '../speech.ts'
import { jsonRequest, parseAudio, sendRequest } from '../vendor-http.ts'

/** WellSaid Labs (docs.wellsaidlabs.com): /v1/tts/stream. */

const cloud = 'https://api.wellsaidlabs.com'

const synthesize: Synthesize = async (credential, { text, voice }, context) => {
  const headers = { 'x-api-key': textField(credential, 'api_key'), accept: 'audio/mpeg' }
  const request = jsonRequest({ text, speaker_id: voice }, headers)
  const answer = await sendRequest(context, `${cloud}/v1/tts/stream`, request, () => 'failed to synthesize speech')
  return { type: 'audio/mpeg', content: parseAudio(answer) }
}

export const wellsaid: SpeechVendor = {
  testTts: testBySynthesis(synthesize, { language: 'en-US', voice: '3' }),
  synthesize,
}
