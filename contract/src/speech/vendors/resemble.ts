import { apiKey, isFilled, type Vendor } from '../descriptor.ts'

export const resemble: Vendor = {
  vendor: 'resemble',
  tts: {},
  parts: [
    apiKey,
    {
      kind: 'question',
      name: 'on_premise',
      label: 'Use on-prem service',
      answered: (stored) => isFilled(stored['resemble_tts_uri']),
      locked: true,
    },
    {
      kind: 'text',
      name: 'resemble_tts_uri',
      label: 'TTS Container URI',
      shape: 'url',
      placeholder: 'https://resemble.example.com',
      when: { on_premise: true },
      required: true,
      sparse: true,
    },
    {
      kind: 'flag',
      name: 'resemble_tts_use_tls',
      label: 'Use TLS for TTS',
      when: { on_premise: true },
      sparse: true,
    },
  ],
}
