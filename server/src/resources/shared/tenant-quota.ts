import type { Owner } from '@patchbay/contract/api/access'
import { throwApiError } from '@patchbay/contract/api/errors'
import type { Rates } from '../../auth/rate-limit/rate-limit-store.ts'

/**
 * Limits how often a tenant can make the server call external services, per minute.
 *
 * Each account has `account` requests. A third of them is guaranteed. The rest comes from a pool of `provider` requests
 * that all accounts of a service provider share. A provider with many accounts therefore cannot multiply the limit, and
 * a few accounts cannot use up the requests of the others, which matters in hosted installations where all accounts
 * have the same provider. Requests for the provider itself have a separate limit of `provider`.
 */
export interface PerMinuteQuota {
  account: number
  provider: number
}

const windowMs = 60_000

/** Returns the guaranteed number of an account's requests. */
export const guaranteedShare = (account: number): number => Math.ceil(account / 3)

/** Counts a request. Returns whether it is within the limits. */
export const isWithin = async (
  rates: Rates,
  what: string,
  limits: PerMinuteQuota,
  { account_sid, service_provider_sid }: Owner,
): Promise<boolean> => {
  const countRequest = async (who: string): Promise<number> => (await rates.hit(`${what}:${who}`, windowMs)).count
  if (account_sid === null)
    return service_provider_sid === null || (await countRequest(service_provider_sid)) <= limits.provider
  const count = await countRequest(account_sid)
  if (count > limits.account) return false
  if (service_provider_sid === null || count <= guaranteedShare(limits.account)) return true
  return (await countRequest(`${service_provider_sid}:accounts`)) <= limits.provider
}

/** @throws ApiError `too_many_requests` if the request is not within the limits */
export const countForTenant = async (...counted: Parameters<typeof isWithin>): Promise<void> => {
  if (!(await isWithin(...counted))) throwApiError('too_many_requests')
}
