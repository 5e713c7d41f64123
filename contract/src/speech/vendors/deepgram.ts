import { apiKey, hostingQuestion, isFilled, type Option, type Vendor } from '../descriptor.ts'

const endpoints: readonly Option[] = [
  { value: '', name: 'US (Default)' },
  { value: 'api.eu.deepgram.com', name: 'EU-hosted' },
]

const isEndpoint = (uri: unknown): boolean => endpoints.some(({ value }) => value === uri)

export const deepgram: Vendor = {
  vendor: 'deepgram',
  tts: { voices: 'models' },
  stt: {},
  parts: [
    {
      ...hostingQuestion(({ deepgram_stt_uri: stt, deepgram_tts_uri: tts }) =>
        isFilled(tts) || (isFilled(stt) && !isEndpoint(stt)) ? 'on_premise' : 'hosted',
      ),
      locked: true,
    },
    {
      ...apiKey,
      required: { place: 'hosted' },
      demanded: [{ deepgram_stt_uri: false }, { deepgram_tts_uri: false }],
    },
    {
      kind: 'choice',
      name: 'deepgram_stt_uri',
      label: 'Endpoint',
      options: endpoints,
      start: '',
      when: { place: 'hosted', stt: true },
    },
    {
      kind: 'text',
      name: 'deepgram_stt_uri',
      label: 'STT Container URI',
      shape: 'host-port',
      placeholder: 'deepgram.example.com:8080',
      when: { place: 'on_premise', stt: true },
      required: true,
    },
    { kind: 'flag', name: 'deepgram_stt_use_tls', label: 'Use TLS for STT', when: { place: 'on_premise', stt: true } },
    {
      kind: 'derived',
      name: 'deepgram_stt_use_tls',
      when: { place: 'hosted', stt: true },
      on: { deepgram_stt_uri: true },
    },
    {
      kind: 'text',
      name: 'deepgram_tts_uri',
      label: 'TTS Container URI',
      shape: 'url',
      placeholder: 'https://deepgram.example.com:8080',
      when: { place: 'on_premise', tts: true },
      required: true,
    },
    { kind: 'model', name: 'model_id', label: 'Model ID', of: 'sttModels', when: { stt: true }, keptIfAbsent: true },
  ],
}
