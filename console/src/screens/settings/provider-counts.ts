import type { ProviderContents } from '@patchbay/contract/service-providers'
import { nonZeroCounts, formatCounts } from '../../record/format-counts.ts'
import type { Nouns } from '../../ui/list-bar.tsx'

type Kind = keyof ProviderContents

/** What a service provider holds, in words. */
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

/** "3 accounts, 1 user": what keeps it from being deleted; empty where nothing does. */
export const blockersText = (contents: ProviderContents): string => formatCounts(nonZeroCounts(contents, blockers))

/** "2 carriers, 1 API key": what goes with it. */
export const belongingsText = (contents: ProviderContents): string => formatCounts(nonZeroCounts(contents, belongings))
