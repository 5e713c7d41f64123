import type { Owner } from '@patchbay/contract/api/access'
import { throwApiError } from '@patchbay/contract/api/errors'
import { isTenantError, tenantErrorGuard } from '../../adapters/tenant-errors.ts'

/**
 * Runs requests to a speech vendor on behalf of a tenant, so that an error in the vendor's library affects neither the
 * process nor the requests of other tenants.
 *
 * @throws ApiError `vendor_failed` if the library failed, or if requests of the tenant are paused because of earlier
 * failures
 */
export const runForTenant = async <T>(tenant: Owner, work: () => Promise<T>): Promise<T> => {
  const key = tenant.account_sid ?? tenant.service_provider_sid ?? 'operator'
  try {
    return await tenantErrorGuard.run(key, work)
  } catch (error) {
    return isTenantError(error) ? throwApiError('vendor_failed', { msg: error.message }) : Promise.reject(error)
  }
}
