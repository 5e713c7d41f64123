import type { AccountContents } from '@patchbay/contract/accounts'
import { formatCounts, nonZeroCounts } from '../../record/format-counts.ts'
import { capitalize, formatCount, type Nouns } from '../../ui/format/text.ts'

/** Singular and plural nouns of the record kinds in an account. */
const nouns: Readonly<Record<keyof AccountContents, Nouns>> = {
  users: ['user', 'users'],
  api_keys: ['API key', 'API keys'],
  applications: ['application', 'applications'],
  phone_numbers: ['phone number', 'phone numbers'],
  voip_carriers: ['carrier', 'carriers'],
  lcrs: ['outbound routing', 'outbound routings'],
  call_routes: ['call route', 'call routes'],
  ms_teams_tenants: ['MS Teams tenant', 'MS Teams tenants'],
  clients: ['SIP client', 'SIP clients'],
  speech_credentials: ['speech service', 'speech services'],
  account_limits: ['limit', 'limits'],
  account_subscriptions: ['subscription', 'subscriptions'],
  account_offers: ['offer', 'offers'],
  account_static_ips: ['static IP address', 'static IP addresses'],
  dns_records: ['DNS record', 'DNS records'],
}

/** An account has one subscription. Its further rows are the history of that subscription. */
const toCounts = (contents: AccountContents): AccountContents => ({
  ...contents,
  account_subscriptions: Math.min(1, contents.account_subscriptions),
})

/** Returns a text such as "3 users, 1 API key". Kinds without records are omitted. */
export const contentsText = (contents: AccountContents): string =>
  formatCounts(nonZeroCounts(toCounts(contents), nouns))

/** Returns pairs such as "Users" and "3", for a definition list. Kinds without records are omitted. */
export const contentsEntries = (contents: AccountContents) =>
  nonZeroCounts(toCounts(contents), nouns).map(
    ({ count, names: [, plural] }) => [capitalize(plural), formatCount(count)] as const,
  )

/** Returns true if the account has users. Its deletion then requires typing the account's name. */
export const isInUse = ({ users }: AccountContents): boolean => users > 0
