import { ApiError } from '@patchbay/contract/api/errors'
import { defaultPasswordPolicy } from '@patchbay/rules/identity/passwords'
import { checkNewPassword } from '../../auth/password-policy.ts'
import type { Configuration } from '../../config/configuration.ts'
import { InvalidConfigurationError } from '../../config/invalid-configuration.ts'

/**
 * Checks the password of the first administrator by the rules of the API. A new database has the default policy.
 * @throws InvalidConfigurationError that names the setting
 */
export const checkInitialSetup = (configuration: Configuration): void => {
  const { adminPassword } = configuration.initialSetup
  if (adminPassword === undefined) return
  try {
    checkNewPassword(configuration, adminPassword, defaultPasswordPolicy, 'password')
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new InvalidConfigurationError(
      `Patchbay cannot start with these settings:\n  PATCHBAY_INIT_ADMIN_PASSWORD: ${error.message}`,
      { cause: error },
    )
  }
}
