import { apiKey, hostingQuestion, isFilled, type Vendor } from '../descriptor.ts'

export const speechmatics: Vendor = {
  vendor: 'speechmatics',
  stt: {},
  parts: [
    {
      ...hostingQuestion(({ speechmatics_stt_uri: uri }) =>
        isFilled(uri) && !String(uri).includes('speechmatics.com') ? 'on_premise' : 'hosted',
      ),
      locked: true,
    },
    apiKey,
    {
      kind: 'choice',
      name: 'speechmatics_stt_uri',
      label: 'Endpoint',
      options: [
        { value: 'eu2.rt.speechmatics.com', name: 'EU (EU2 - On-demand)' },
        { value: 'neu.rt.speechmatics.com', name: 'EU (EU1 - Enterprise)' },
        { value: 'wus.rt.speechmatics.com', name: 'US (US1 - Enterprise)' },
      ],
      when: { place: 'hosted' },
      required: true,
      demanded: true,
    },
    {
      kind: 'text',
      name: 'speechmatics_stt_uri',
      label: 'Endpoint URI',
      placeholder: 'speechmatics.example.com:9000',
      when: { place: 'on_premise' },
      required: true,
      demanded: true,
    },
    { kind: 'text', name: 'options', label: 'Extra options', unasked: true, keptIfAbsent: true },
  ],
}
