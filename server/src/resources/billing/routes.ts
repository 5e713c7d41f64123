import type { billingEndpoints } from '@patchbay/contract/billing'
import { refuse } from '@patchbay/contract/errors'
import type { Handlers } from '../../http/mount.ts'
import type { Services } from '../../services.ts'

export const billingRoutes = (_services: Services): Handlers<keyof typeof billingEndpoints> => ({
  'GET /Prices': async () => refuse('billing_off'),
  'GET /StripeCustomerId': async () => refuse('billing_off'),
  'DELETE /StripeCustomerId': async () => refuse('billing_off'),
  'GET /Invoices': async () => refuse('billing_off'),
  'GET /Accounts/:account_sid/Charges': async () => ({ status: 200, body: [] }),
  'GET /Subscriptions': async () => refuse('billing_off'),
  'POST /Subscriptions': async () => refuse('billing_off'),
  'POST /stripe/webhook': async () => refuse('billing_off'),
})
