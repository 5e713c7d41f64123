import type { BlockerName } from '@patchbay/contract/api/record-tables'
import type { ProviderContents } from '@patchbay/contract/service-providers'
import { formatCounts } from '../../record/record-counts.ts'

/**
 * Divides the records that block the deletion of a service provider from those that are deleted with it. The type of the
 * blockers follows from the relations of the records, whose code the console does not load.
 */
const divide = (contents: ProviderContents) => {
  const { accounts, users, applications, phone_numbers, ms_teams_tenants, sbc_addresses, ...belongings } = contents
  const blockers: Record<Extract<keyof ProviderContents, BlockerName<'service_providers'>>, number> = {
    accounts,
    users,
    applications,
    phone_numbers,
    ms_teams_tenants,
    sbc_addresses,
  }
  return { blockers, belongings }
}

/** Returns a text such as "3 accounts, 1 user" about the records that block the deletion. Empty if there are none. */
export const blockersText = (contents: ProviderContents): string => formatCounts(divide(contents).blockers)

/** Returns a text such as "2 carriers, 1 API key" about the records that are deleted with the provider. */
export const belongingsText = (contents: ProviderContents): string => formatCounts(divide(contents).belongings)
