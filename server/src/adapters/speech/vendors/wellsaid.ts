import { ask, parseAudio, json } from '../vendor-http.ts'
import { bySpeaking, type SpeechVendor, type Synthesize, textField } from '../speech.ts'

/** WellSaid Labs (docs.wellsaidlabs.com): /v1/tts/stream. */

const cloud = 'https://api.wellsaidlabs.com'

const synthesize: Synthesize = async (credential, { text, voice }, far) => {
  const headers = { 'x-api-key': textField(credential, 'api_key'), accept: 'audio/mpeg' }
  const request = json({ text, speaker_id: voice }, headers)
  const answer = await ask(far, `${cloud}/v1/tts/stream`, request, () => 'failed to synthesize speech')
  return { type: 'audio/mpeg', content: parseAudio(answer) }
}

export const wellsaid: SpeechVendor = {
  tryTts: bySpeaking(synthesize, { language: 'en-US', voice: '3' }),
  synthesize,
}
