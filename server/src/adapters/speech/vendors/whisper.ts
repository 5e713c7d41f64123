import { type SpeechVendor, type Synthesize, testBySynthesis, textField } from '../speech.ts'
import { jsonRequest, parseAudio, sendRequest } from '../vendor-http.ts'
import { openaiCloud, openaiReason } from './openai.ts'

/** OpenAI's synthesis, which is stored under this name: /v1/audio/speech. */

const synthesize: Synthesize = async (credential, { text, voice }, context) => {
  const body = { model: textField(credential, 'model_id'), voice, input: text, response_format: 'mp3' }
  const request = jsonRequest(body, { authorization: `Bearer ${textField(credential, 'api_key')}` })
  return {
    type: 'audio/mpeg',
    content: parseAudio(await sendRequest(context, `${openaiCloud}/speech`, request, openaiReason)),
  }
}

export const whisper: SpeechVendor = {
  testTts: testBySynthesis(synthesize, { language: 'en-US', voice: 'alloy' }),
  synthesize,
}
