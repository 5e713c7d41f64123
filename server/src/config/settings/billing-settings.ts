import { z } from 'zod'
import { InvalidConfigurationError } from '../invalid-configuration.ts'
import { markSecret, publicUrl, type Values } from './schemas.ts'

/** The settings of Stripe. */

const scriptUrl = 'https://js.stripe.com/endive/stripe.js'

export const billingVariables = {
  STRIPE_API_KEY: markSecret(z.string().optional().describe('Secret key of Stripe. Unset: nothing is sold')),
  STRIPE_WEBHOOK_SECRET: markSecret(
    z.string().optional().describe("Secret that signs Stripe's events. Required with `STRIPE_API_KEY`"),
  ),
  STRIPE_PUBLISHABLE_KEY: z.string().optional().describe('Public key. With it users can enter cards in the console'),
  STRIPE_BASE_URL: publicUrl('the address of Stripe, such as https://api.stripe.com/v1')
    .default('https://api.stripe.com/v1')
    .describe('Address of Stripe. Only its origin is used'),
  STRIPE_JS_URL: publicUrl(`the address of the script, such as ${scriptUrl}`)
    .default(scriptUrl)
    .describe("Stripe's script for cards"),
}

/** Address and credentials of Stripe. */
export type StripeAccess = Pick<NonNullable<ReturnType<typeof getBillingSettings>>, 'origin' | 'key' | 'webhookSecret'>

/** Returns null if billing is disabled. */
export const getBillingSettings = (env: Values<typeof billingVariables>) => {
  const { STRIPE_API_KEY: key, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_PUBLISHABLE_KEY: publishable } = env
  if (key === undefined) return null
  if (webhookSecret === undefined)
    throw new InvalidConfigurationError('STRIPE_WEBHOOK_SECRET must be set together with STRIPE_API_KEY.')
  return {
    /** For example `https://api.stripe.com`. */
    origin: new URL(env.STRIPE_BASE_URL).origin,
    key,
    /** Secret that signs webhook events. */
    webhookSecret,
    publishableKey: publishable ?? null,
    scriptUrl: env.STRIPE_JS_URL,
  }
}
