import type { ProviderContents } from '@patchbay/contract/service-providers'
import { formatCounts, nonZeroCounts } from '../../record/format-counts.ts'
import type { Nouns } from '../../ui/format/text.ts'

type Kind = keyof ProviderContents

/** Singular and plural nouns of the records that block the deletion of a service provider. */
const blockers: Readonly<Partial<Record<Kind, Nouns>>> = {
  accounts: ['account', 'accounts'],
  users: ['user', 'users'],
  applications: ['application', 'applications'],
  phone_numbers: ['phone number', 'phone numbers'],
  ms_teams_tenants: ['MS Teams tenant', 'MS Teams tenants'],
  sbc_addresses: ['SBC address', 'SBC addresses'],
}

const belongings: Readonly<Partial<Record<Kind, Nouns>>> = {
  voip_carriers: ['carrier', 'carriers'],
  lcrs: ['outbound routing', 'outbound routings'],
  speech_credentials: ['speech service', 'speech services'],
  api_keys: ['API key', 'API keys'],
  service_provider_limits: ['limit', 'limits'],
}

/** Returns a text such as "3 accounts, 1 user" about the records that block the deletion. Empty if there are none. */
export const blockersText = (contents: ProviderContents): string => formatCounts(nonZeroCounts(contents, blockers))

/** Returns a text such as "2 carriers, 1 API key" about the records that are deleted with the provider. */
export const belongingsText = (contents: ProviderContents): string => formatCounts(nonZeroCounts(contents, belongings))
