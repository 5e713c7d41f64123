import { apiKey, options, type Vendor } from '../descriptor.ts'

export const elevenlabs: Vendor = {
  vendor: 'elevenlabs',
  called: 'elevenLabs',
  tts: { languages: ['en'], sharedVoicesFrom: '' },
  // Newer platforms recognize speech with it. Patchbay has neither a test nor a list of languages.
  stt: { typed: true },
  parts: [
    {
      kind: 'choice',
      name: 'api_uri',
      label: 'Data residency',
      options: [
        { value: 'api.elevenlabs.io', name: 'US' },
        { value: 'api.eu.residency.elevenlabs.io', name: 'EU' },
        { value: 'api.in.residency.elevenlabs.io', name: 'IN' },
      ],
      start: 'api.elevenlabs.io',
      required: true,
    },
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
      {
        optimize_streaming_latency: 3,
        voice_settings: { stability: 0.5, similarity_boost: 0.5, use_speaker_boost: true },
      },
      'https://elevenlabs.io/docs/api-reference/streaming',
    ),
  ],
}
