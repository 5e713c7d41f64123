import { apiKey, type Vendor } from '../descriptor.ts'

export const whisper: Vendor = {
  vendor: 'whisper',
  tts: { languages: ['en-US'] },
  parts: [
    apiKey,
    {
      kind: 'model',
      name: 'model_id',
      label: 'Model',
      of: 'models',
      required: true,
      demanded: true,
      keptIfAbsent: true,
    },
  ],
}
