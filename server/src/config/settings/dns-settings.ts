import { z } from 'zod'
import { requireBoth } from './dependent-settings.ts'
import { baseAddress, markSecret, type Values } from './schemas.ts'

/** The settings of DNS Made Easy, at which the DNS records of SIP realms are created. */

export const dnsVariables = {
  DME_API_KEY: markSecret(
    z
      .string()
      .min(1)
      .optional()
      .describe(
        'Key of a DNS Made Easy account, together with its secret: SIP realms get A and SRV records in ' +
          'its domains',
      ),
  ),
  DME_API_SECRET: markSecret(z.string().min(1).optional().describe('Secret of that key')),
  DME_BASE_URL: baseAddress('https://api.dnsmadeeasy.com/V2.0').describe('Address of its API'),
}

/** A DNS Made Easy account for the DNS records of SIP realms. */
export type DnsSettings = NonNullable<ReturnType<typeof getDnsSettings>>

/** Returns null if no DNS records are created for SIP realms. */
export const getDnsSettings = (env: Values<typeof dnsVariables>) => {
  const account = requireBoth(env, 'DME_API_KEY', 'DME_API_SECRET')
  return account && { base: env.DME_BASE_URL, key: account[0], secret: account[1] }
}
