import { throwApiError } from '@patchbay/contract/api/errors'
import type { BillingRequest, BoughtProduct, billingEndpoints } from '@patchbay/contract/billing'
import { subscriptionLines } from '@patchbay/rules/plans/pricing'
import type { BillingService } from '../../billing/billing-operation.ts'
import { categoriesBySid } from '../../billing/subscription-rows.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { created, ok } from '../../http/responses.ts'
import type { Caller } from '../../lib/caller.ts'
import type { Services } from '../services.ts'

/**
 * Returns the caller's account. Admins and service providers have no account and therefore no subscription. The API
 * permits their requests, so they get a 404.
 */
const requireAccount = ({ account_sid }: Caller): string => account_sid ?? throwApiError('not_found')

export const billingRoutes = (services: Services): Handlers<keyof typeof billingEndpoints> => {
  const { database, backgroundTasks } = services
  const requireBilling = (): BillingService => services.billing ?? throwApiError('billing_not_configured')

  /**
   * Validates the products of a request with the API's error messages
   * (docs/reference/platform-api/hosted-mode.md#subscriptions).
   */
  const parseProducts = async ({ products }: BillingRequest): Promise<readonly BoughtProduct[]> => {
    if (!products || products.length === 0)
      return throwApiError('invalid', { msg: 'missing products', field: 'products' })
    const categories = await categoriesBySid(database.db)
    const { min } = subscriptionLines.voice_call_session
    for (const { product_sid, quantity } of products) {
      const category = categories.get(product_sid) ?? throwApiError('bad_request')
      const { max } = subscriptionLines[category]
      if (category === 'voice_call_session' && quantity < min)
        return throwApiError('invalid', {
          msg: `invalid voice call session value, minimum is ${min}`,
          field: 'products',
        })
      if (quantity > max) return throwApiError('invalid', { msg: `quantity must be at most ${max}`, field: 'products' })
    }
    return products
  }
  const requireSessions = async (products: readonly BoughtProduct[]): Promise<readonly BoughtProduct[]> => {
    const categories = await categoriesBySid(database.db)
    if (products.some(({ product_sid }) => categories.get(product_sid) === 'voice_call_session')) return products
    return throwApiError('invalid', { msg: 'invalid voice call session value, minimum is 5', field: 'products' })
  }
  const requirePaymentMethod = ({ payment_method_id }: BillingRequest): string =>
    payment_method_id || throwApiError('invalid', { msg: 'missing payment_method_id', field: 'payment_method_id' })

  return {
    'GET /Prices': async ({ actor }) => ok(await requireBilling().prices(actor.account_sid)),
    'GET /StripeCustomerId': async ({ actor }) => {
      const account_sid = requireAccount(actor)
      return ok({ stripe_customer_id: await requireBilling().customerId(account_sid, actor) })
    },
    'DELETE /StripeCustomerId': ({ actor }) => requireBilling().forgetCustomer(requireAccount(actor), actor),
    'GET /Invoices': async ({ actor }) => ok(await requireBilling().upcoming(requireAccount(actor))),
    // Calls are included in the price of the plan, so there are no charges for individual calls.
    'GET /Accounts/:account_sid/Charges': async () => ok([]),
    'GET /Subscriptions': async ({ actor }) => ok(await requireBilling().raw(requireAccount(actor))),
    'POST /Subscriptions': async ({ actor, body }) => {
      const billing = requireBilling()
      const account_sid = requireAccount(actor)
      switch (body.action) {
        case 'upgrade-to-paid': {
          const products = await requireSessions(await parseProducts(body))
          return created(await billing.upgrade(account_sid, actor, { method: requirePaymentMethod(body), products }))
        }
        case 'update-payment-method':
          return ok(await billing.changeCard(account_sid, actor, requirePaymentMethod(body)))
        case 'update-quantities': {
          const products = await parseProducts(body)
          return created(
            body.dry_run
              ? await billing.forecast(account_sid, products)
              : await billing.changeQuantities(account_sid, actor, products),
          )
        }
        case 'downgrade-to-free':
          return ok(await billing.downgrade(account_sid, actor))
      }
    },
    'POST /stripe/webhook': async ({ body: { payload, signature } }) => {
      const billing = requireBilling()
      if (!(await billing.receiveEvent(payload, signature))) return throwApiError('webhook_signature_invalid')
      backgroundTasks.begin('an event from Stripe could not be processed', () => billing.pass())
    },
  }
}
