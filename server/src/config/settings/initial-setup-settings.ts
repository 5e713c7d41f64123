import { accountLengths } from '@patchbay/contract/accounts/record'
import { name, text } from '@patchbay/contract/api/values'
import { serviceProviderLengths } from '@patchbay/contract/service-providers/record'
import { isSid } from '@patchbay/contract/shared/sids'
import { maxPasswordLength } from '@patchbay/contract/users'
import { userLengths } from '@patchbay/contract/users/record'
import { z } from 'zod'
import { markSecret, type Values } from './schemas.ts'

/** The settings that replace the defaults of what the first start with a new database creates. */

export const initialSetupVariables = {
  PATCHBAY_INIT_ADMIN_NAME: name(userLengths.name).default('admin').describe('Sign-in name of the administrator'),
  PATCHBAY_INIT_ADMIN_PASSWORD: markSecret(
    text(maxPasswordLength)
      .optional()
      .meta({
        description:
          'Password of the administrator, by the rules for passwords that users choose. It is not printed, ' +
          'and need not be changed at the first sign-in. Unset: a random password is printed once',
        documentedDefault: 'random',
      }),
  ),
  PATCHBAY_INIT_PROVIDER: name(serviceProviderLengths.name)
    .optional()
    .meta({ description: 'Name of the service provider', documentedDefault: 'default service provider' }),
  PATCHBAY_INIT_ACCOUNT: name(accountLengths.name)
    .optional()
    .meta({ description: 'Name of the account', documentedDefault: 'default account' }),
  PATCHBAY_INIT_API_KEY: markSecret(
    z
      .string()
      .refine(isSid, { error: 'must be a UUID, such as the output of uuidgen' })
      .optional()
      .describe(
        'UUID that becomes an API key with the permissions of an administrator. The key has the name ' +
          '*Initial setup*. Unset: there is no API key',
      ),
  ),
}

export type InitialSetup = ReturnType<typeof getInitialSetup>

export const getInitialSetup = (env: Values<typeof initialSetupVariables>) => ({
  /** Sign-in name of the administrator. */
  adminName: env.PATCHBAY_INIT_ADMIN_NAME,
  /** Undefined if the password is random, and must be changed at the first sign-in. */
  adminPassword: env.PATCHBAY_INIT_ADMIN_PASSWORD,
  /** Name of the service provider. */
  provider: env.PATCHBAY_INIT_PROVIDER,
  /** Name of the account. */
  account: env.PATCHBAY_INIT_ACCOUNT,
  /** An API key with the permissions of an administrator. */
  apiKey: env.PATCHBAY_INIT_API_KEY,
})

/** Returns what the first start creates if none of the settings is set. */
export const getDefaultSetup = (): InitialSetup => getInitialSetup(z.object(initialSetupVariables).parse({}))
