import { randomUUID } from 'node:crypto'
import { throwApiError } from '@patchbay/contract/api/errors'
import type {
  BillingForecast,
  BillingOutcome,
  BoughtProduct,
  PricedProduct,
  UpcomingInvoice,
} from '@patchbay/contract/billing'
import type { BilledSubscription } from '../adapters/billing/billing.ts'
import type { Author } from '../database/write-transaction.ts'
import type { Caller } from '../lib/caller.ts'
import type { createLeases, Lease } from './lease.ts'
import { toBillingApiError } from './outcomes.ts'
import type { BillingPoller } from './poller.ts'
import type { BillingDependencies } from './stripe-accounts.ts'
import type { StripeSync, View } from './stripe-sync.ts'

/**
 * Operations on the subscription of an account. Each change is stored as an intent before the first request to Stripe,
 * and is complete when Stripe's state has been read and the local state agrees with it. After a crash or a lost
 * response, the next operation therefore continues where the last one ended, and nothing is charged twice.
 */

export interface BillingService extends BillingPoller {
  /** Returns what an account can buy, or without an account what is offered to all. */
  prices(account_sid: string | null): Promise<PricedProduct[]>
  /** Returns the account's customer ID at Stripe. Creates the customer if there is none. */
  customerId(account_sid: string, actor: Caller): Promise<string>
  forgetCustomer(account_sid: string, actor: Caller): Promise<void>
  upcoming(account_sid: string): Promise<UpcomingInvoice>
  raw(account_sid: string): Promise<{ id: string; status: string }>
  upgrade(
    account_sid: string,
    actor: Caller,
    purchase: { method: string; products: readonly BoughtProduct[] },
  ): Promise<BillingOutcome>
  changeCard(account_sid: string, actor: Caller, method: string): Promise<BillingOutcome>
  changeQuantities(account_sid: string, actor: Caller, products: readonly BoughtProduct[]): Promise<BillingOutcome>
  forecast(account_sid: string, products: readonly BoughtProduct[]): Promise<BillingForecast>
  downgrade(account_sid: string, actor: Caller): Promise<BillingOutcome>
  /**
   * Ends all subscriptions of an account that is about to be deleted. No new operation can start for the next minute.
   */
  close(account_sid: string, author: Author): Promise<void>
}

type RunAction = <T>(account_sid: string, actor: Caller, work: (lease: Lease, view: View) => Promise<T>) => Promise<T>

export interface BillingContext extends BillingDependencies, StripeSync {
  leases: ReturnType<typeof createLeases>
  /** Runs an operation for a waiting client, after any unfinished intent. */
  runAction: RunAction
}

export const createBillingContext = (
  dependencies: BillingDependencies,
  leases: BillingContext['leases'],
  stripeSync: StripeSync,
): BillingContext => {
  const { findAccount, catchUp } = stripeSync
  const runAction: RunAction = async (account_sid, actor, work) => {
    try {
      await findAccount(account_sid)
      return await leases.forAction(account_sid, async (lease) => work(lease, await catchUp(lease, actor)))
    } catch (error) {
      throw toBillingApiError(error)
    }
  }
  return { ...dependencies, ...stripeSync, leases, runAction }
}

/** Returns the members that all new intents have. */
export const createIntentFields = ({ now }: BillingContext) => ({ id: randomUUID(), begun: now() })

/** @throws ApiError `no_subscription` or `payment_outstanding` if no subscription is running */
export const requireRunning = ({ current, account }: View): BilledSubscription => {
  if (current === undefined || account.plan_type !== 'paid') return throwApiError('no_subscription')
  return current.status === 'running' ? current : throwApiError('payment_outstanding')
}
