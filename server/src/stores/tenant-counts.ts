import { refuse } from '@patchbay/contract/errors'
import type { Rates } from '../platform/rates/rates.ts'

/** How often in a minute. */
export interface MostAMinute {
  account: number
  provider: number
}

interface Tenant {
  account_sid: string | null
  service_provider_sid: string | null
}

/** Counts one of what asks somebody far away in the name of a tenant, who could make any number of keys. */
export const isWithin = async (
  rates: Rates,
  what: string,
  most: MostAMinute,
  { account_sid, service_provider_sid }: Tenant,
): Promise<boolean> => {
  for (const [who, times] of [
    [account_sid, most.account],
    [service_provider_sid, most.provider],
  ] as const)
    if (who !== null && (await rates.hit(`${what}:${who}`, 60_000)).count > times) return false
  return true
}

export const countForTenant = async (...counted: Parameters<typeof isWithin>): Promise<void> => {
  if (!(await isWithin(...counted))) refuse('too_many_requests')
}
