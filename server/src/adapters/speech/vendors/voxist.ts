import { z } from 'zod'
import { ask, read } from '../vendor-http.ts'
import { type SpeechVendor, textField } from '../speech.ts'

/** Voxist's API (api-asr.voxist.com/api-documentation): /clients. */

export const voxist: SpeechVendor = {
  async tryStt(credential, far) {
    const headers = { 'x-lvl-key': textField(credential, 'api_key') }
    const answer = await ask(far, 'https://api-asr.voxist.com/clients', { headers }, () => 'failed to get clients')
    read(answer, z.unknown())
    return 'ok'
  },
}
