import type { Vendor } from '../descriptor.ts'

export const cobalt: Vendor = {
  vendor: 'cobalt',
  stt: { languages: ['en_US-8khz'] },
  parts: [
    {
      kind: 'text',
      name: 'cobalt_server_uri',
      label: 'Server URI',
      placeholder: 'cobalt.example.com:2727',
      required: true,
      demanded: true,
    },
  ],
}
