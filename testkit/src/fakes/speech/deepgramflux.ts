import { deepgram } from './deepgram.ts'
import type { FakeVendor } from './fake-vendor.ts'

/** Uses Deepgram's host. */
export const deepgramflux: FakeVendor = {
  name: 'deepgramflux',
  hosts: [],
  credential: deepgram.credential,
  checked: { api_key: ['stt'] },
}
