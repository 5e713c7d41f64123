import type { Vendor } from '../descriptor.ts'

/** A third-party service that implements the platform's custom speech protocol. */
export const custom: Vendor = {
  vendor: 'custom',
  named: true,
  tts: { typed: true },
  stt: { languages: ['en-US'], typed: true },
  parts: [
    {
      kind: 'text',
      name: 'custom_tts_streaming_url',
      label: 'Ws URL (streaming)',
      hint: 'One of the two addresses is enough.',
      shape: 'websocket',
      placeholder: 'wss://speech.example.com/tts',
      when: { tts: true },
    },
    {
      kind: 'text',
      name: 'custom_tts_url',
      label: 'Http URL (non-streaming)',
      shape: 'url',
      placeholder: 'https://speech.example.com/tts',
      when: { tts: true },
      required: { custom_tts_streaming_url: false },
    },
    {
      kind: 'text',
      name: 'custom_stt_url',
      label: 'STT websocket URL',
      shape: 'websocket',
      placeholder: 'wss://speech.example.com/stt',
      when: { stt: true },
      required: true,
    },
    {
      kind: 'secret',
      name: 'auth_token',
      label: 'Authentication Token',
      hint: 'Sent to these addresses as a bearer token.',
      locked: true,
    },
  ],
}
