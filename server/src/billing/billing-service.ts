import { throwApiError } from '@patchbay/contract/api/errors'
import { type BillingService, createBillingContext } from './billing-operation.ts'
import { createCardChange } from './change-card.ts'
import { createForecast, createQuantityChange } from './change-quantities.ts'
import { createClosing, createCustomerDeletion, createCustomerLookUp } from './customers.ts'
import { createLeases } from './lease.ts'
import { toBillingApiError } from './outcomes.ts'
import { createBillingPoller } from './poller.ts'
import { findOffers } from './price-list.ts'
import type { BillingDependencies } from './stripe-accounts.ts'
import { createStripeSync } from './stripe-sync.ts'
import { createDowngrade, createUpgrade } from './subscribe.ts'

export const createBillingService = (dependencies: BillingDependencies): BillingService => {
  const { billing } = dependencies
  const leases = createLeases(dependencies)
  const stripeSync = createStripeSync(dependencies)
  const { findAccount } = stripeSync
  const context = createBillingContext(dependencies, leases, stripeSync)

  return {
    ...createBillingPoller(dependencies, leases, stripeSync),
    prices: async (account_sid) => {
      try {
        return await findOffers(dependencies, account_sid)
      } catch (error) {
        throw toBillingApiError(error)
      }
    },
    customerId: createCustomerLookUp(context),
    forgetCustomer: createCustomerDeletion(context),
    upcoming: async (account_sid) => {
      const { stripe_customer_id } = await findAccount(account_sid)
      if (stripe_customer_id === null) return throwApiError('not_found')
      try {
        return (await billing.upcoming(stripe_customer_id)) ?? throwApiError('no_upcoming_invoice')
      } catch (error) {
        throw toBillingApiError(error)
      }
    },
    raw: async (account_sid) => {
      const { rows } = await findAccount(account_sid)
      const running = rows.find(
        ({ pending, stripe_subscription_id }) => pending === 0 && stripe_subscription_id !== null,
      )
      try {
        return await billing.rawSubscription(running?.stripe_subscription_id ?? throwApiError('not_found'))
      } catch (error) {
        throw toBillingApiError(error)
      }
    },
    upgrade: createUpgrade(context),
    changeCard: createCardChange(context),
    changeQuantities: createQuantityChange(context),
    forecast: createForecast(context),
    downgrade: createDowngrade(context),
    close: createClosing(context),
  }
}
