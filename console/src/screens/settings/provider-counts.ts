import type { ProviderContents } from '@patchbay/contract/service-providers'
import { formatCounts } from '../../record/record-counts.ts'

/** Divides the records that block the deletion of a service provider from those that are deleted with it. */
const divide = (contents: ProviderContents) => {
  const { accounts, users, applications, phone_numbers, ms_teams_tenants, sbc_addresses, ...belongings } = contents
  return { blockers: { accounts, users, applications, phone_numbers, ms_teams_tenants, sbc_addresses }, belongings }
}

/** Returns a text such as "3 accounts, 1 user" about the records that block the deletion. Empty if there are none. */
export const blockersText = (contents: ProviderContents): string => formatCounts(divide(contents).blockers)

/** Returns a text such as "2 carriers, 1 API key" about the records that are deleted with the provider. */
export const belongingsText = (contents: ProviderContents): string => formatCounts(divide(contents).belongings)
