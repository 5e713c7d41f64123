import { apiKey, type Vendor } from '../descriptor.ts'

export const wellsaid: Vendor = {
  vendor: 'wellsaid',
  tts: {},
  parts: [apiKey],
}
