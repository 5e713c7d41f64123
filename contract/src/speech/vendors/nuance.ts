import { isFilled, type Vendor } from '../descriptor.ts'

/** Required for the vendor's own service. Containers do not need them. */
const signIn = {
  required: { on_premise_tts: false, on_premise_stt: false },
  demanded: { nuance_tts_uri: false, nuance_stt_uri: false },
  locked: true,
} as const

export const nuance: Vendor = {
  vendor: 'nuance',
  tts: {},
  stt: {},
  parts: [
    {
      kind: 'question',
      name: 'on_premise_tts',
      label: 'Use on-prem TTS',
      answered: (stored) => isFilled(stored['nuance_tts_uri']),
      when: { tts: true },
    },
    {
      kind: 'text',
      name: 'nuance_tts_uri',
      label: 'TTS Container URI',
      shape: 'host-port',
      placeholder: 'nuance-tts.example.com:8080',
      when: { on_premise_tts: true },
      required: true,
    },
    {
      kind: 'question',
      name: 'on_premise_stt',
      label: 'Use on-prem STT',
      answered: (stored) => isFilled(stored['nuance_stt_uri']),
      when: { stt: true },
    },
    {
      kind: 'text',
      name: 'nuance_stt_uri',
      label: 'STT Container URI',
      shape: 'host-port',
      placeholder: 'nuance-stt.example.com:8080',
      when: { on_premise_stt: true },
      required: true,
    },
    { ...signIn, kind: 'text', name: 'client_id', label: 'Client ID' },
    { ...signIn, kind: 'secret', name: 'secret', label: 'Secret' },
  ],
}
