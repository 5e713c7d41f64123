import { isSid } from '@patchbay/contract/shared/sids'
import { z } from 'zod'
import { publicUrl, splitList, type Values } from './schemas.ts'

/** The settings of an installation at which visitors can register. */

export const hostingVariables = {
  JAMBONES_HOSTING: z.string().default('').describe('Any value: visitors can register'),
  DEFAULT_SERVICE_PROVIDER_SID: z
    .string()
    .refine(isSid, { error: 'must be the sid of a service provider' })
    .default('2708b1b3-2736-40ea-b502-c53d8396247f')
    .describe('Service provider of new accounts. It needs a root domain'),
  TERMS_URL: publicUrl('the address of a page, such as https://host/terms')
    .default('https://jambonz.org/terms')
    .describe('Page with the terms that visitors accept when they register'),
  PRIVACY_URL: publicUrl('the address of a page, such as https://host/privacy')
    .default('https://jambonz.org/privacy')
    .describe('Page with the privacy policy that visitors accept when they register'),
  RESERVED_SUBDOMAINS: z
    .string()
    .default('')
    .transform((list) => splitList(list.toLowerCase()))
    .refine((names) => names.every((name) => /^[a-z0-9-]{1,63}$/.test(name)), {
      error: 'must be subdomains such as partner, separated by commas',
    })
    .describe(
      'Further subdomains that accounts cannot choose, separated by commas. Names such as `www`, ' +
        '`admin`, `api`, and `mail` are always reserved. Administrators and service providers can assign ' +
        'them',
    ),
}

export const getHostingSettings = (env: Values<typeof hostingVariables>) => ({
  /**
   * Enables registration of visitors. Their accounts belong to this service provider. Null if only operators create
   * accounts.
   */
  hosting:
    env.JAMBONES_HOSTING === ''
      ? null
      : { serviceProvider: env.DEFAULT_SERVICE_PROVIDER_SID, termsUrl: env.TERMS_URL, privacyUrl: env.PRIVACY_URL },
  /** Subdomains that accounts cannot choose, in addition to the built-in ones. Lowercase. */
  reservedSubdomains: env.RESERVED_SUBDOMAINS,
})
