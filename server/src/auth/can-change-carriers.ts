import type { Actor } from '@patchbay/contract/access'
import { throwApiError } from '@patchbay/contract/errors'
import type { Configuration } from '../config/configuration.ts'

/**
 * Throws if the caller is an account user and account users cannot change carriers
 * (docs/reference/platform-api/carriers.md#restriction-to-operators).
 */
export const assertCanChangeCarriers = (
  { adminCarriers }: Pick<Configuration, 'adminCarriers'>,
  { scope }: Actor,
): void => {
  if (adminCarriers && scope === 'account') throwApiError('carriers_are_the_operators')
}
