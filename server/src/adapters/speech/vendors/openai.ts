import { z } from 'zod'
import { type SpeechVendor, textField } from '../speech.ts'
import { wav } from '../test-audio.ts'
import { parseJson, type ReasonParser, reasonAt, sendRequest } from '../vendor-http.ts'

/** OpenAI (platform.openai.com/docs/api-reference/audio): /v1/audio/transcriptions. */

export const openaiCloud = 'https://api.openai.com/v1/audio'

/** Describes a failed request to OpenAI. Recognition and synthesis share the format. */
export const openaiReason: ReasonParser = (answer) =>
  `OpenAI API error: ${answer.status} ${reasonAt('error', 'message')(answer) || answer.statusText}`

const transcription = z.object({ text: z.string() })

export const openai: SpeechVendor = {
  async testStt(credential, context) {
    const body = new FormData()
    body.set('file', new Blob([new Uint8Array(wav)], { type: 'audio/wav' }), 'test.wav')
    body.set('model', 'whisper-1')
    const headers = { authorization: `Bearer ${textField(credential, 'api_key')}` }
    const request = { method: 'POST', headers, body }
    parseJson(await sendRequest(context, `${openaiCloud}/transcriptions`, request, openaiReason), transcription)
    return 'ok'
  },
}
