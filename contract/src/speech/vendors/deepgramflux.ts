import { apiKey, type Vendor } from '../descriptor.ts'

export const deepgramflux: Vendor = {
  vendor: 'deepgramflux',
  called: 'deepgram flux',
  stt: { language: 'none' },
  parts: [apiKey],
}
