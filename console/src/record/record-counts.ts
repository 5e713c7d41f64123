import type { AccountContents } from '@patchbay/contract/accounts'
import type { ProviderContents } from '@patchbay/contract/service-providers'
import { countText, type Nouns } from '../ui/format/text.ts'

export type RecordTable = keyof AccountContents | keyof ProviderContents

/** Nouns of records by table, in the order of texts that count several kinds. */
export const recordNouns = {
  accounts: ['account', 'accounts'],
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
  sbc_addresses: ['SBC address', 'SBC addresses'],
  account_limits: ['limit', 'limits'],
  service_provider_limits: ['limit', 'limits'],
  account_subscriptions: ['subscription', 'subscriptions'],
  account_offers: ['offer', 'offers'],
  account_static_ips: ['static IP address', 'static IP addresses'],
  dns_records: ['DNS record', 'DNS records'],
} as const satisfies Readonly<Record<RecordTable, Nouns>>

/** The numbers of records of an owner. */
export type RecordCounts = Readonly<Partial<Record<RecordTable, number>>>

/** Returns the counts that are not zero, with their nouns. */
export const nonZeroCounts = (counts: RecordCounts): { table: RecordTable; count: number; names: Nouns }[] =>
  (Object.keys(recordNouns) as RecordTable[]).flatMap((table) => {
    const count = counts[table] ?? 0
    return count > 0 ? { table, count, names: recordNouns[table] } : []
  })

/** Formats the counts that are not zero: `3 users, 1 API key`. */
export const formatCounts = (counts: RecordCounts): string =>
  nonZeroCounts(counts)
    .map(({ count, names }) => countText(count, count, names))
    .join(', ')
