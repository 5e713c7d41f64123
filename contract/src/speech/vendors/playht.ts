import { apiKey, hostingQuestion, isFilled, options, type Vendor } from '../descriptor.ts'

export const playht: Vendor = {
  vendor: 'playht',
  tts: { languages: ['en-US', 'english'], sharedVoicesFrom: 'english' },
  parts: [
    { ...hostingQuestion(({ playht_tts_uri: uri }) => (isFilled(uri) ? 'on_premise' : 'hosted')), locked: true },
    {
      kind: 'text',
      name: 'playht_tts_uri',
      label: 'TTS Container URI',
      shape: 'url',
      placeholder: 'https://playht.example.com',
      when: { place: 'on_premise' },
      required: true,
    },
    { kind: 'text', name: 'user_id', label: 'User ID', required: true, demanded: true, locked: true },
    apiKey,
    { kind: 'model', name: 'voice_engine', label: 'Voice Engine', of: 'models', required: true, demanded: true },
    options(
      {
        quality: 'medium',
        speed: 1,
        seed: 1,
        temperature: 1,
        emotion: 'female_happy',
        voice_guidance: 3,
        style_guidance: 20,
        text_guidance: 1,
      },
      'https://docs.play.ht/reference/api-generate-tts-audio-stream',
    ),
  ],
}
