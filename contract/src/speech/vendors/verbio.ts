import type { Vendor } from '../descriptor.ts'

export const verbio: Vendor = {
  vendor: 'verbio',
  tts: {},
  stt: {},
  parts: [
    { kind: 'text', name: 'client_id', label: 'Client ID', required: true, demanded: true, locked: true },
    { kind: 'secret', name: 'client_secret', label: 'Client secret', required: true, demanded: true, locked: true },
    {
      kind: 'choice',
      name: 'engine_version',
      label: 'Engine version',
      options: [
        { value: 'V1', name: 'V1' },
        { value: 'V2', name: 'V2' },
      ],
      start: 'V1',
      required: true,
      demanded: true,
    },
  ],
}
