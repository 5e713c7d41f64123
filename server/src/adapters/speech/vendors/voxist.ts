import { z } from 'zod'
import { type SpeechVendor, textField } from '../speech.ts'
import { parseJson, sendRequest } from '../vendor-http.ts'

/** Voxist's API (api-asr.voxist.com/api-documentation): /clients. */

export const voxist: SpeechVendor = {
  async testStt(credential, context) {
    const headers = { 'x-lvl-key': textField(credential, 'api_key') }
    const answer = await sendRequest(
      context,
      'https://api-asr.voxist.com/clients',
      { headers },
      () => 'failed to get clients',
    )
    parseJson(answer, z.unknown())
    return 'ok'
  },
}
