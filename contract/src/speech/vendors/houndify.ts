import type { Vendor } from '../descriptor.ts'

export const houndify: Vendor = {
  vendor: 'houndify',
  stt: {},
  parts: [
    { kind: 'text', name: 'client_id', label: 'Client ID', required: true, demanded: true, locked: true },
    { kind: 'secret', name: 'client_key', label: 'Client key', required: true, demanded: true, locked: true },
    { kind: 'text', name: 'user_id', label: 'User ID', required: true, demanded: true, locked: true },
    {
      kind: 'text',
      name: 'houndify_server_uri',
      label: 'Server URI',
      hint: 'Leave empty for the vendor’s default.',
      shape: 'websocket',
      placeholder: 'wss://apiws-polaris.houndify.com/v2/transcription',
    },
  ],
}
