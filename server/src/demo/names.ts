import type { Random } from './seeded-random.ts'

/** Names of demo customers. They are fictional. */

export const providerName = 'Harbour Voice'
export const providerDomain = 'sip.harbour-voice.example'

const nameStarts = [
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
export const industries = [
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
] as const

/** Returns a unique name for the account at `position`. */
export const accountName = (position: number): string => {
  const first = nameStarts[position % nameStarts.length] ?? ''
  const second = industries[(position * 7 + Math.floor(position / nameStarts.length)) % industries.length] ?? ''
  const round = Math.floor(position / (nameStarts.length * industries.length))
  return `${first} ${second}${round === 0 ? '' : ` ${round + 1}`}`
}

/** Returns the SIP realm of an account, a subdomain of the provider's domain. */
export const toRealm = (name: string, below: string = providerDomain): string =>
  `${name.toLowerCase().replaceAll(' ', '-')}.${below}`

/** Domain to which Microsoft Teams sends the calls of the provider's customers. */
export const teamsDomain = `teams.${providerDomain}`

export const mailDomain = 'harbour-voice.example'

interface DemoUser {
  name: string
  /** Absent for users of an account. */
  scope?: 'admin' | 'service_provider'
  /** Position of the account. */
  account?: number
  is_active?: 0 | 1
  force_change?: 0 | 1
  viewOnly?: true
}

/** Users of every scope and state. */
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

/** Names of applications. The first account has all of them, the others only the first. */
export const applicationNames = ['Reception', 'Appointment line', 'After hours voicemail', 'Order status'] as const

/** Devices that register as SIP clients. The third is inactive. */
export const deviceNames = ['reception', 'ward-2-desk', 'door-intercom'] as const

export const trunks = ['Atlantic SIP', 'Bluewave', 'Cobalt Carrier', 'Delta Trunking', 'user', 'Microsoft Teams']

/** Returns a phone number: mostly from a small set of customers' numbers, sometimes any other. */
export const phoneNumber = (dice: Random): string =>
  dice.roll() < 0.7 ? `1508555${String(dice.below(2000)).padStart(4, '0')}` : dice.digits(11)
