import { apiKey, options, type Vendor } from '../descriptor.ts'

export const inworld: Vendor = {
  vendor: 'inworld',
  tts: { languages: ['en'] },
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
    options(
      { audioConfig: { pitch: 0, speakingRate: 1 }, temperature: 0.8 },
      'https://docs.inworld.ai/api-reference/ttsAPI/texttospeech/synthesize-speech-stream',
    ),
  ],
}
