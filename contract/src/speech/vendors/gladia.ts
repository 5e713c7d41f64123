import { apiKey, type Vendor } from '../descriptor.ts'

export const gladia: Vendor = {
  vendor: 'gladia',
  stt: {},
  parts: [
    { ...apiKey, demanded: [] },
    {
      kind: 'choice',
      name: 'region',
      label: 'Region',
      options: [
        { value: 'us-west', name: 'US West' },
        { value: 'eu-west', name: 'EU West' },
      ],
      required: true,
    },
  ],
}
