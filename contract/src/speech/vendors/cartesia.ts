import { apiKey, options, type Vendor } from '../descriptor.ts'

export const cartesia: Vendor = {
  vendor: 'cartesia',
  tts: { languages: ['en'] },
  stt: {},
  parts: [
    apiKey,
    {
      kind: 'model',
      name: 'model_id',
      label: 'TTS Model ID',
      of: 'models',
      when: { tts: true },
      required: true,
      demanded: { tts: true },
      keptIfAbsent: true,
    },
    {
      kind: 'model',
      name: 'stt_model_id',
      label: 'STT Model ID',
      of: 'sttModels',
      when: { stt: true },
      required: true,
      demanded: { stt: true },
    },
    options({ speed: 0, emotion: 'positivity:high' }, 'https://docs.cartesia.ai/api-reference/tts/bytes'),
  ],
}
