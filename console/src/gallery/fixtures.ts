import type { StateTone } from '../ui/badge.tsx'

/** Sample data of the gallery. */

export interface Carrier {
  sid: string
  name: string
  account: string
  state: StateTone
  word: string
  gateways: number
  registered: string
}

export const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString()

export const carriers: Carrier[] = [
  {
    sid: '9351f46a-678c-43f5-b8a6-d4eb58d131af',
    name: 'Nordlicht SIP',
    account: 'All accounts',
    state: 'good',
    word: 'Registered',
    gateways: 4,
    registered: minutesAgo(2),
  },
  {
    sid: 'a2b9d1c0-11f2-4d19-9f3e-3cf1c1a0b7aa',
    name: 'Harbour Voice',
    account: 'Acme',
    state: 'bad',
    word: 'Failed',
    gateways: 2,
    registered: minutesAgo(190),
  },
  {
    sid: '5f190a4f-b997-4592-81bd-6c6e5b7c7c01',
    name: 'Twin Peaks Telecom',
    account: 'Acme',
    state: 'warn',
    word: 'Expiring',
    gateways: 12,
    registered: minutesAgo(2900),
  },
  {
    sid: '0e1f4b9c-4c1f-4a1e-8f0a-77a6a4f7e0d2',
    name: 'A carrier with quite a long name that has to wrap somewhere',
    account: 'Umbrella',
    state: 'neutral',
    word: 'Inactive',
    gateways: 1,
    registered: minutesAgo(90_000),
  },
]

const vendors = [
  'Google',
  'AWS',
  'Microsoft',
  'Deepgram',
  'Nuance',
  'Nvidia',
  'IBM',
  'Soniox',
  'Cobalt',
  'Speechmatics',
  'AssemblyAI',
  'ElevenLabs',
]

export const voices = vendors.flatMap((vendor) =>
  ['Anna', 'Ben', 'Cora'].map((voice) => ({
    value: `${vendor} ${voice}`,
    label: `${voice} (${vendor})`,
    group: vendor,
  })),
)

export const accounts = vendors.map((name) => ({ value: name, label: `${name} GmbH` }))
