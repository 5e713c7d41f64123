import { apiKey, type Condition, hostingQuestion, isFilled, isOn, type Option, type Vendor } from '../descriptor.ts'

const regions: readonly Option[] = [
  { value: 'australiaeast', name: 'Australia - East (australiaeast)' },
  { value: 'brazilsouth', name: 'Brazil - South (brazilsouth)' },
  { value: 'qatarcentral', name: 'Qatar - Central (qatarcentral)' },
  { value: 'canadacentral', name: 'Canada - Central (canadacentral)' },
  { value: 'eastasia', name: 'East Asia (eastasia)' },
  { value: 'northeurope', name: 'Europe - North (northeurope)' },
  { value: 'westeurope', name: 'Europe - West (westeurope)' },
  { value: 'francecentral', name: 'France - Central (francecentral)' },
  { value: 'germanywestcentral', name: 'Germany - West Central (germanywestcentral)' },
  { value: 'centralindia', name: 'India - Central (centralindia)' },
  { value: 'japaneast', name: 'Japan - East (japaneast)' },
  { value: 'japanwest', name: 'Japan - West (japanwest)' },
  { value: 'koreacentral', name: 'Korea - Central (koreacentral)' },
  { value: 'norwayeast', name: 'Norway - East (norwayeast)' },
  { value: 'swedencentral', name: 'Sweden - Central (swedencentral)' },
  { value: 'southafricanorth', name: 'South Africa - North (southafricanorth)' },
  { value: 'southeastasia', name: 'Southeast Asia (southeastasia)' },
  { value: 'switzerlandnorth', name: 'Switzerland - North (switzerlandnorth)' },
  { value: 'switzerlandwest', name: 'Switzerland - West (switzerlandwest)' },
  { value: 'uaenorth', name: 'UAE - North (uaenorth)' },
  { value: 'uksouth', name: 'UK - South (uksouth)' },
  { value: 'centralus', name: 'US - Central (centralus)' },
  { value: 'eastus', name: 'US - East (eastus)' },
  { value: 'eastus2', name: 'US - East 2 (eastus2)' },
  { value: 'usgovarizona', name: 'US - Gov Arizona (usgovarizona)' },
  { value: 'usgovvirginia', name: 'US - Gov Virginia (usgovvirginia)' },
  { value: 'northcentralus', name: 'US - North Central (northcentralus)' },
  { value: 'southcentralus', name: 'US - South Central (southcentralus)' },
  { value: 'westcentralus', name: 'US - West Central (westcentralus)' },
  { value: 'westus', name: 'US - West (westus)' },
  { value: 'westus2', name: 'US - West 2 (westus2)' },
  { value: 'westus3', name: 'US - West 3 (westus3)' },
]

const container = { shape: 'url', required: true } as const

/** Required for Microsoft's own service. Containers do not need it. */
const withoutContainer: Condition = { custom_tts_endpoint_url: false, custom_stt_endpoint_url: false }

export const microsoft: Vendor = {
  vendor: 'microsoft',
  called: 'azure',
  tts: { typed: { voiceWhen: 'use_custom_tts' } },
  stt: {},
  parts: [
    hostingQuestion(
      (stored) =>
        isFilled(stored['custom_tts_endpoint_url']) || isFilled(stored['custom_stt_endpoint_url'])
          ? 'on_premise'
          : 'hosted',
      ['Use hosted Azure service', 'Use Azure Docker container (on-prem)'],
    ),
    {
      kind: 'choice',
      name: 'region',
      label: 'Region',
      options: regions,
      when: { place: 'hosted' },
      required: true,
      demanded: withoutContainer,
    },
    { ...apiKey, required: { place: 'hosted' }, demanded: withoutContainer },
    {
      ...container,
      kind: 'text',
      name: 'custom_tts_endpoint_url',
      label: 'TTS Container URI',
      placeholder: 'http://azure-tts.example.com:5000/cognitiveservices/v1',
      when: { place: 'on_premise', tts: true },
    },
    {
      ...container,
      kind: 'text',
      name: 'custom_stt_endpoint_url',
      label: 'STT Container URI',
      placeholder: 'http://azure-stt.example.com:5000',
      when: { place: 'on_premise', stt: true },
    },
    {
      kind: 'question',
      name: 'custom_voice',
      label: 'Use custom voice',
      answered: (stored) => isOn(stored['use_custom_tts']) && !isFilled(stored['custom_tts_endpoint_url']),
      when: { place: 'hosted', tts: true },
    },
    {
      kind: 'text',
      name: 'custom_tts_endpoint',
      label: 'Custom voice deployment ID',
      when: { custom_voice: true },
      required: true,
    },
    {
      kind: 'question',
      name: 'custom_speech',
      label: 'Use custom speech model',
      answered: (stored) => isOn(stored['use_custom_stt']) && !isFilled(stored['custom_stt_endpoint_url']),
      when: { place: 'hosted', stt: true },
    },
    {
      kind: 'text',
      name: 'custom_stt_endpoint',
      label: 'Custom speech endpoint ID',
      when: { custom_speech: true },
      required: true,
    },
    { kind: 'derived', name: 'use_custom_tts', on: [{ custom_voice: true }, { custom_tts_endpoint_url: true }] },
    { kind: 'derived', name: 'use_custom_stt', on: [{ custom_speech: true }, { custom_stt_endpoint_url: true }] },
  ],
}
