import { apiKey, type Vendor } from '../descriptor.ts'

export const assemblyai: Vendor = {
  vendor: 'assemblyai',
  tts: { typed: true },
  stt: {},
  parts: [
    apiKey,
    {
      kind: 'choice',
      name: 'service_version',
      label: 'Service version',
      options: [
        { value: 'v2', name: 'V2' },
        { value: 'v3', name: 'V3' },
      ],
      start: 'v2',
      required: true,
    },
  ],
}
