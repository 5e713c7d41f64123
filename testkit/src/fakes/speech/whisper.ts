import type { FakeVendor } from './fake-vendor.ts'
import { openaiKey } from './openai.ts'

/** Uses OpenAI's host. */
export const whisper: FakeVendor = {
  name: 'whisper',
  hosts: [],
  credential: { api_key: openaiKey, model_id: 'tts-1' },
  checked: { api_key: ['tts'], model_id: ['tts'] },
}
