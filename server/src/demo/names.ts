import type { Random } from './seeded-random.ts'

/** Names as a provider's customers have them; none is meant to be anybody's. */

export const providerName = 'Harbour Voice'
export const providerDomain = 'sip.harbour-voice.example'

const firsts = [
  'Alder',
  'Bayside',
  'Cedar',
  'Dovetail',
  'Eastgate',
  'Foxglove',
  'Granite',
  'Hillcrest',
  'Ivory',
  'Juniper',
  'Kestrel',
  'Lakeside',
  'Meridian',
  'Northwind',
  'Orchard',
  'Pinnacle',
  'Quayside',
  'Redwood',
  'Sterling',
  'Tideway',
]
const seconds = [
  'Dental',
  'Logistics',
  'Insurance',
  'Clinics',
  'Motors',
  'Travel',
  'Hotels',
  'Energy',
  'Legal',
  'Couriers',
  'Property',
  'Foods',
  'Telecom',
  'Books',
  'Fitness',
]

/** Account number `position`: all differ. */
export const accountName = (position: number): string => {
  const first = firsts[position % firsts.length] ?? ''
  const second = seconds[(position * 7 + Math.floor(position / firsts.length)) % seconds.length] ?? ''
  const round = Math.floor(position / (firsts.length * seconds.length))
  return `${first} ${second}${round === 0 ? '' : ` ${round + 1}`}`
}

/** A domain of the account, below one of the provider's. */
export const toRealm = (name: string, below: string = providerDomain): string =>
  `${name.toLowerCase().replaceAll(' ', '-')}.${below}`

/** Where Microsoft Teams sends the calls of the provider's customers. */
export const teamsDomain = `teams.${providerDomain}`

export const mailDomain = 'harbour-voice.example'

interface DemoUser {
  name: string
  /** without it, of an account */
  scope?: 'admin' | 'service_provider'
  /** its position */
  account?: number
  is_active?: 0 | 1
  force_change?: 0 | 1
  viewOnly?: true
}

/** Users of every scope and in every state. */
export const demoUsers: readonly DemoUser[] = [
  { name: 'second-admin', scope: 'admin' },
  { name: 'view-only-admin', scope: 'admin', viewOnly: true },
  { name: 'provider-user', scope: 'service_provider' },
  { name: 'provider-newcomer', scope: 'service_provider', force_change: 1 },
  { name: 'account-user', account: 0 },
  { name: 'view-only-user', account: 0, viewOnly: true },
  { name: 'former-user', account: 0, is_active: 0 },
  ...['amelia.hart', 'bruno.keller', 'chiara.moretti', 'deniz.aydin', 'emil.sørensen', 'farida.haddad'].map(
    (name, position) => ({ name, account: position + 1 }),
  ),
]

/** What an account's calls are answered with; the first account has all of them, the others the first. */
export const applicationNames = ['Reception', 'Appointment line', 'After hours voicemail', 'Order status'] as const

/** Devices that register as SIP clients; the third is switched off. */
export const deviceNames = ['reception', 'ward-2-desk', 'door-intercom'] as const

export const trunks = ['Atlantic SIP', 'Bluewave', 'Cobalt Carrier', 'Delta Trunking', 'user', 'Microsoft Teams']

/** Calls from a small set of numbers, as they come from customers, and now and then from elsewhere. */
export const phoneNumber = (dice: Random): string =>
  dice.roll() < 0.7 ? `1508555${String(dice.below(2000)).padStart(4, '0')}` : dice.digits(11)
