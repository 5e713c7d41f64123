import { apiKey, type Vendor } from '../descriptor.ts'

export const deepgramflux: Vendor = {
  vendor: 'deepgramflux',
  called: 'deepgram flux',
  tts: { typed: true },
  stt: { language: 'none' },
  parts: [apiKey],
}
