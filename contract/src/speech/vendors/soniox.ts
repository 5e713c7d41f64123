import { apiKey, type Vendor } from '../descriptor.ts'

export const soniox: Vendor = {
  vendor: 'soniox',
  stt: {},
  parts: [apiKey],
}
