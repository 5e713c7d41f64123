import { apiKey, type Vendor } from '../descriptor.ts'

export const voxist: Vendor = {
  vendor: 'voxist',
  stt: {},
  parts: [apiKey],
}
