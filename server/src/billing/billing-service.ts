import type {
  BillingForecast,
  BillingOutcome,
  BoughtProduct,
  PricedProduct,
  UpcomingInvoice,
} from '@patchbay/contract/billing'
import { throwApiError } from '@patchbay/contract/api/errors'
import { randomUUID } from 'node:crypto'
import type { Caller } from '../lib/caller.ts'
import type { Author } from '../database/write-transaction.ts'
import type { BilledSubscription } from '../adapters/billing/billing.ts'
import { sumQuantities, findCurrentSubscription, isSame, isSwitchedOff } from './reconcile.ts'
import { createLeases, type Lease } from './lease.ts'
import { createBillingPoller, type BillingPoller } from './poller.ts'
import { toLineChanges, checkProducts, findOffers } from './price-list.ts'
import { cardOutcome, throwFailure, toBillingApiError, toSuccess } from './outcomes.ts'
import { type BillingDependencies, createStripeSync, type View } from './stripe-sync.ts'
import { addRow, assignStarterPlan, categoriesBySid } from './subscription-rows.ts'

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

const formatDay = (at: number): string => new Date(at).toDateString()

export const createBillingService = (dependencies: BillingDependencies): BillingService => {
  const { database, write, billing, now } = dependencies
  const leases = createLeases(dependencies)
  const stripeSync = createStripeSync(dependencies)
  const { findAccount, callStripe, begin, carryOut, catchUp, ensureCustomer, settle } = stripeSync

  /** Runs an operation for a waiting client, after any unfinished intent. */
  const runAction = async <T>(
    account_sid: string,
    actor: Caller,
    work: (lease: Lease, view: View) => Promise<T>,
  ): Promise<T> => {
    try {
      await findAccount(account_sid)
      return await leases.forAction(account_sid, async (lease) => work(lease, await catchUp(lease, actor)))
    } catch (error) {
      throw toBillingApiError(error)
    }
  }

  const createIntentFields = () => ({ id: randomUUID(), begun: now() })

  const requireRunning = ({ current, account }: View): BilledSubscription => {
    if (current === undefined || account.plan_type !== 'paid') return throwApiError('no_subscription')
    return current.status === 'running' ? current : throwApiError('payment_outstanding')
  }

  return {
    ...createBillingPoller(dependencies, leases, stripeSync),
    prices: async (account_sid) => {
      try {
        return await findOffers(dependencies, account_sid)
      } catch (error) {
        throw toBillingApiError(error)
      }
    },
    customerId: async (account_sid, actor) => {
      const { stripe_customer_id } = await findAccount(account_sid)
      if (stripe_customer_id !== null) return stripe_customer_id
      if (actor.is_view_only) return throwApiError('view_only')
      return runAction(account_sid, actor, (lease) => ensureCustomer(lease, actor))
    },
    forgetCustomer: (account_sid, actor) =>
      runAction(account_sid, actor, async (lease, { customer, billedCustomer }) => {
        if (customer === null) return throwApiError('not_found')
        if (billedCustomer.subscriptions.some(({ status }) => status !== 'over'))
          return throwApiError('subscription_active')
        await callStripe(lease, () => billing.deleteCustomer(customer))
        await settle(lease, actor)
      }),
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
    upgrade: (account_sid, actor, { method, products }) =>
      runAction(account_sid, actor, async (lease, before) => {
        const quantities = await checkProducts(dependencies, account_sid, products)
        const { account, current, billedCustomer } = before
        if (isSwitchedOff(account)) return throwApiError('account_deactivated')
        // An earlier attempt succeeded, but its response was lost.
        const isRetry = current?.status === 'running' && lease.intent?.kind === 'upgrade'
        if (isRetry && isSame(sumQuantities(current, await categoriesBySid(database.db)), quantities))
          return toSuccess(current)
        if (current) return throwApiError(current.status === 'running' ? 'already_subscribed' : 'payment_outstanding')
        const intent = {
          kind: 'upgrade',
          ...createIntentFields(),
          account_subscription_sid: randomUUID(),
          method,
          products,
        } as const
        // An invoice of an earlier attempt with another card must never be paid in addition.
        for (const { status, latestInvoice } of billedCustomer.subscriptions)
          if (status === 'incomplete' && latestInvoice?.isOpen)
            await callStripe(lease, () =>
              billing.dropInvoice(latestInvoice.id, `${intent.id}:drop:${latestInvoice.id}`),
            )
        const { account_subscription_sid } = intent
        const row = {
          account_sid,
          account_subscription_sid,
          pending: 1,
          stripe_payment_method_id: method,
          quantities,
        } as const
        await begin(lease, actor, intent, async (tx) => void (await addRow(tx, row)))
        const done = await carryOut(lease, intent, actor)
        const purchased = done.billedCustomer.subscriptions.find(
          (one) => one.account_subscription_sid === account_subscription_sid,
        )
        if (purchased === undefined || purchased.status === 'over') return throwFailure(done.fault)
        return purchased.status === 'running' ? toSuccess(purchased) : cardOutcome(purchased)
      }),
    changeCard: (account_sid, actor, method) =>
      runAction(account_sid, actor, async (lease, { customer, billedCustomer }) => {
        if (customer === null)
          return throwApiError('stripe_customer_missing', {
            msg: `Account ${account_sid} is not provisioned in Stripe`,
          })
        const intent = { kind: 'card', ...createIntentFields(), method, old: billedCustomer.card?.id ?? null } as const
        await begin(lease, actor, intent)
        const done = await carryOut(lease, intent, actor)
        if (done.fault && done.billedCustomer.card?.id === billedCustomer.card?.id) return throwFailure(done.fault)
        const unpaidSubscription = done.billedCustomer.subscriptions.find(
          ({ status, hasPendingChange }) => status === 'incomplete' || status === 'owed' || hasPendingChange,
        )
        if (unpaidSubscription?.latestInvoice?.isOpen !== true) return { status: 'success' }
        const outcome = cardOutcome(unpaidSubscription)
        return outcome.status === 'action required'
          ? outcome
          : { ...outcome, status: 'failed to pay outstanding invoices' }
      }),
    changeQuantities: (account_sid, actor, products) =>
      runAction(account_sid, actor, async (lease, view) => {
        await checkProducts(dependencies, account_sid, products)
        const categories = await categoriesBySid(database.db)
        const current = requireRunning(view)
        if (isSwitchedOff(view.account)) return throwApiError('account_deactivated')
        const { latestInvoice } = current
        const id = randomUUID()
        if (current.hasPendingChange && latestInvoice?.isOpen)
          await callStripe(lease, () => billing.dropInvoice(latestInvoice.id, `${id}:drop:${latestInvoice.id}`))
        const items = toLineChanges(current, products, categories)
        const resumes = current.endsWithPeriod
        if (items.length === 0 && !resumes) {
          await settle(lease, actor)
          return { status: 'success' }
        }
        const account_subscription_sid = randomUUID()
        const { id: subscription } = current
        const intent = {
          kind: 'quantities',
          id,
          begun: now(),
          account_subscription_sid,
          subscription,
          items,
          resumes,
        } as const
        const quantities = { ...sumQuantities(current, categories) }
        for (const { product_sid, quantity } of items) {
          const category = categories.get(product_sid)
          if (category) quantities[category] = quantity
        }
        const row = {
          account_sid,
          account_subscription_sid,
          pending: 1,
          stripe_subscription_id: subscription,
          quantities,
        } as const
        await begin(lease, actor, intent, async (tx) => {
          if (items.length > 0) await addRow(tx, row)
        })
        const done = await carryOut(lease, intent, actor)
        if (done.fault) return throwFailure(done.fault)
        const currentAfter = done.current
        if (currentAfter?.id === subscription && !currentAfter.hasPendingChange) return { status: 'success' }
        if (currentAfter?.latestInvoice?.payment?.needsCustomer) return cardOutcome(currentAfter)
        return { status: 'failed', reason: 'payment required' }
      }),
    forecast: async (account_sid, products) => {
      try {
        const account = await findAccount(account_sid)
        await checkProducts(dependencies, account_sid, products)
        const { stripe_customer_id: customer } = account
        if (customer === null) return throwApiError('no_subscription')
        const billedCustomer = await billing.customer(customer)
        const current = requireRunning({
          account,
          customer,
          billedCustomer,
          current: findCurrentSubscription(billedCustomer, account),
        })
        const items = toLineChanges(current, products, await categoriesBySid(database.db))
        const { currency, prorated, monthly, nextAt } = await billing.forecast(current.id, items)
        return { currency, prorated_cost: prorated, monthly_cost: monthly, next_invoice_date: formatDay(nextAt) }
      } catch (error) {
        throw toBillingApiError(error)
      }
    },
    downgrade: (account_sid, actor) =>
      runAction(account_sid, actor, async (lease, { account, billedCustomer }) => {
        if (billedCustomer.subscriptions.every(({ status }) => status === 'over')) {
          if (account.plan_type !== 'free') await write(actor, (tx) => assignStarterPlan(tx, account_sid, 'free'))
          return { status: 'success' }
        }
        const intent = { kind: 'downgrade', ...createIntentFields() } as const
        await begin(lease, actor, intent)
        const { fault } = await carryOut(lease, intent, actor)
        return fault ? throwFailure(fault) : { status: 'success' }
      }),
    async close(account_sid, author) {
      try {
        const { stripe_customer_id } = await findAccount(account_sid)
        if (stripe_customer_id === null) return
        await leases.forAction(
          account_sid,
          async (lease) => {
            const { customer, billedCustomer } = await catchUp(lease, author)
            if (customer === null) return
            for (const { id, status, latestInvoice } of billedCustomer.subscriptions) {
              if (status === 'over') continue
              const open = latestInvoice?.isOpen ? latestInvoice.id : undefined
              if (status !== 'incomplete') await callStripe(lease, () => billing.cancel(id))
              if (open) await callStripe(lease, () => billing.dropInvoice(open, `close:${open}`))
            }
            await callStripe(lease, () => billing.deleteCustomer(customer))
          },
          true,
        )
      } catch (error) {
        throw toBillingApiError(error)
      }
    },
  }
}
