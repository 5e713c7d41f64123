import type { Option, Vendor } from '../descriptor.ts'

const regions: readonly Option[] = [
  { value: 'us-south', name: 'US South (Dallas)' },
  { value: 'us-east', name: 'US East (Washington)' },
  { value: 'eu-de', name: 'EU DE (Frankfurt)' },
  { value: 'eu-gb', name: 'EU GB (London)' },
  { value: 'au-syd', name: 'AU South (Sydney)' },
  { value: 'jp-tok', name: 'Japan (Tokyo)' },
  { value: 'kr-seo', name: 'South Korea (Seul)' },
]

export const ibm: Vendor = {
  vendor: 'ibm',
  tts: {},
  stt: {},
  parts: [
    { kind: 'choice', name: 'tts_region', label: 'TTS region', options: regions, when: { tts: true }, required: true },
    { kind: 'secret', name: 'tts_api_key', label: 'TTS API key', when: { tts: true }, required: true, locked: true },
    { kind: 'choice', name: 'stt_region', label: 'STT region', options: regions, when: { stt: true }, required: true },
    { kind: 'secret', name: 'stt_api_key', label: 'STT API key', when: { stt: true }, required: true, locked: true },
    {
      kind: 'text',
      name: 'instance_id',
      label: 'Speech instance ID',
      when: { stt: true },
      required: true,
      locked: true,
    },
  ],
}
