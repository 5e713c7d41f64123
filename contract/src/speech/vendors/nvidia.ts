import type { Vendor } from '../descriptor.ts'

export const nvidia: Vendor = {
  vendor: 'nvidia',
  tts: {},
  stt: {},
  parts: [
    {
      kind: 'text',
      name: 'riva_server_uri',
      label: 'Riva Server Uri',
      placeholder: 'riva.example.com:50051',
      required: true,
      demanded: true,
      missing: 'invalid riva server uri: riva_server_uri is required',
    },
  ],
}
