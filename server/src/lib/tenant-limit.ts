import { ApiError } from '@patchbay/contract/api/errors'

/** Limits the number of concurrent jobs per tenant. */
export interface TenantLimit {
  /**
   * Reserves a slot and returns the function that frees it, which may be called more than once.
   *
   * @throws ApiError `too_many_concurrent_requests` if the tenant has used up its slots
   */
  acquire(tenant: string): () => void
}

export const createTenantLimit = (maxPerTenant: number): TenantLimit => {
  const used = new Map<string, number>()
  return {
    acquire(tenant) {
      const before = used.get(tenant) ?? 0
      if (before >= maxPerTenant) throw new ApiError('too_many_concurrent_requests')
      used.set(tenant, before + 1)
      let isReleased = false
      return () => {
        if (isReleased) return
        isReleased = true
        const remaining = (used.get(tenant) ?? 1) - 1
        if (remaining > 0) used.set(tenant, remaining)
        else used.delete(tenant)
      }
    },
  }
}
