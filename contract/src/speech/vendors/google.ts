import type { Vendor } from '../descriptor.ts'

export const google: Vendor = {
  vendor: 'google',
  tts: { languages: ['en-US'], voice: 'en-US-Standard-C', customVoices: true },
  stt: { languages: ['en-US'] },
  customVoices: true,
  parts: [
    {
      kind: 'file',
      name: 'service_key',
      label: 'Service key',
      hint: 'JSON key file of a service account with private_key and client_email.',
      members: ['private_key', 'client_email'],
      masked: 'private_key',
      required: true,
      demanded: true,
      missing: 'invalid json key: service_key is required',
      invalid: 'invalid google service account key - not JSON',
      untestable: 'uploaded file is not a google service key',
      locked: true,
    },
    {
      kind: 'text',
      name: 'model_id',
      label: 'Gemini TTS model',
      hint: 'Leave empty for the standard voices.',
      placeholder: 'gemini-2.5-flash-tts',
      when: { tts: true },
      keptIfAbsent: true,
      sparse: true,
    },
  ],
}
