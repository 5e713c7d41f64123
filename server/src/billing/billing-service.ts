import type {
  BillingForecast,
  BillingOutcome,
  BoughtProduct,
  PricedProduct,
  UpcomingInvoice,
} from '@patchbay/contract/billing'
import { throwApiError } from '@patchbay/contract/errors'
import { randomUUID } from 'node:crypto'
import type { Caller } from '../lib/caller.ts'
import type { Author } from '../database/write-transaction.ts'
import type { BilledSubscription } from '../adapters/billing/billing.ts'
import { boughtIn, findCurrentSubscription, isSame, isSwitchedOff } from './reconcile.ts'
import { createLeases, type Lease } from './lease.ts'
import { createBillingPoller, type Looking } from './poller.ts'
import { toLineChanges, checkProducts, findOffers } from './price-list.ts'
import { cardOutcome, failed, toBillingApiError, toSuccess } from './outcomes.ts'
import { type BillingSurroundings, createSettling, type View } from './stripe-sync.ts'
import { addRow, assignStarterPlan, categoriesBySid } from './subscription-rows.ts'

/**
 * What is done with the subscription of an account. Each change is written down before anything of it is asked at Stripe,
 * and done when Stripe's state has been read and ours agrees with it: so that whoever comes after a crash, or after no
 * answer, goes on where it ended, and nothing is charged twice.
 */

export interface BillingService extends Looking {
  /** what an account can buy; without one, what is offered to all */
  prices(account_sid: string | null): Promise<PricedProduct[]>
  /** who the account is at Stripe; made there where it is nobody yet */
  customerId(account_sid: string, actor: Caller): Promise<string>
  forgetCustomer(account_sid: string, actor: Caller): Promise<void>
  upcoming(account_sid: string): Promise<UpcomingInvoice>
  raw(account_sid: string): Promise<{ id: string; status: string }>
  upgrade(
    account_sid: string,
    actor: Caller,
    wanted: { method: string; products: readonly BoughtProduct[] },
  ): Promise<BillingOutcome>
  changeCard(account_sid: string, actor: Caller, method: string): Promise<BillingOutcome>
  changeQuantities(account_sid: string, actor: Caller, products: readonly BoughtProduct[]): Promise<BillingOutcome>
  forecast(account_sid: string, products: readonly BoughtProduct[]): Promise<BillingForecast>
  downgrade(account_sid: string, actor: Caller): Promise<BillingOutcome>
  /** Ends all that an account that is to be deleted has at Stripe, and for a minute nobody begins anything new. */
  close(account_sid: string, author: Author): Promise<void>
}

const dayText = (at: number): string => new Date(at).toDateString()

export const createBillingDesk = (around: BillingSurroundings): BillingService => {
  const { database, write, billing, now } = around
  const leases = createLeases(around)
  const settling = createSettling(around)
  const { accountOf, ask, begin, carryOut, catchUp, ensureCustomer, settle } = settling

  /** For somebody who waits for the answer. */
  const act = async <T>(
    account_sid: string,
    actor: Caller,
    work: (lease: Lease, view: View) => Promise<T>,
  ): Promise<T> => {
    try {
      await accountOf(account_sid)
      return await leases.forAction(account_sid, async (lease) => work(lease, await catchUp(lease, actor)))
    } catch (error) {
      throw toBillingApiError(error)
    }
  }

  const fresh = () => ({ id: randomUUID(), begun: now() })

  const runningOf = ({ current, account }: View): BilledSubscription => {
    if (current === undefined || account.plan_type !== 'paid') return throwApiError('no_subscription')
    return current.status === 'running' ? current : throwApiError('payment_outstanding')
  }

  return {
    ...createBillingPoller(around, leases, settling),
    prices: async (account_sid) => {
      try {
        return await findOffers(around, account_sid)
      } catch (error) {
        throw toBillingApiError(error)
      }
    },
    customerId: async (account_sid, actor) => {
      const { stripe_customer_id } = await accountOf(account_sid)
      if (stripe_customer_id !== null) return stripe_customer_id
      if (actor.is_view_only) return throwApiError('view_only')
      return act(account_sid, actor, (lease) => ensureCustomer(lease, actor))
    },
    forgetCustomer: (account_sid, actor) =>
      act(account_sid, actor, async (lease, { customer, far }) => {
        if (customer === null) return throwApiError('not_found')
        if (far.subscriptions.some(({ status }) => status !== 'over')) return throwApiError('still_subscribed')
        await ask(lease, () => billing.deleteCustomer(customer))
        await settle(lease, actor)
      }),
    upcoming: async (account_sid) => {
      const { stripe_customer_id } = await accountOf(account_sid)
      if (stripe_customer_id === null) return throwApiError('not_found')
      try {
        return (await billing.upcoming(stripe_customer_id)) ?? throwApiError('no_upcoming_invoice')
      } catch (error) {
        throw toBillingApiError(error)
      }
    },
    raw: async (account_sid) => {
      const { rows } = await accountOf(account_sid)
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
      act(account_sid, actor, async (lease, before) => {
        const quantities = await checkProducts(around, account_sid, products)
        const { account, current, far } = before
        if (isSwitchedOff(account)) return throwApiError('account_switched_off')
        // It was begun before, and whoever began it got no answer.
        const again = current?.status === 'running' && lease.intent?.kind === 'upgrade'
        if (again && isSame(boughtIn(current, await categoriesBySid(database.db)), quantities))
          return toSuccess(current)
        if (current) return throwApiError(current.status === 'running' ? 'already_subscribed' : 'payment_outstanding')
        const intent = {
          kind: 'upgrade',
          ...fresh(),
          account_subscription_sid: randomUUID(),
          method,
          products,
        } as const
        // What was begun with another card must never be paid as well.
        for (const { status, latestInvoice } of far.subscriptions)
          if (status === 'incomplete' && latestInvoice?.isOpen)
            await ask(lease, () => billing.dropInvoice(latestInvoice.id, `${intent.id}:drop:${latestInvoice.id}`))
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
        const made = done.far.subscriptions.find((one) => one.account_subscription_sid === account_subscription_sid)
        if (made === undefined || made.status === 'over') return failed(done.fault)
        return made.status === 'running' ? toSuccess(made) : cardOutcome(made)
      }),
    changeCard: (account_sid, actor, method) =>
      act(account_sid, actor, async (lease, { customer, far }) => {
        if (customer === null)
          return throwApiError('not_at_stripe', { msg: `Account ${account_sid} is not provisioned in Stripe` })
        const intent = { kind: 'card', ...fresh(), method, old: far.card?.id ?? null } as const
        await begin(lease, actor, intent)
        const done = await carryOut(lease, intent, actor)
        if (done.fault && done.far.card?.id === far.card?.id) return failed(done.fault)
        const owing = done.far.subscriptions.find(
          ({ status, hasPendingChange }) => status === 'incomplete' || status === 'owed' || hasPendingChange,
        )
        if (owing?.latestInvoice?.isOpen !== true) return { status: 'success' }
        const outcome = cardOutcome(owing)
        return outcome.status === 'action required'
          ? outcome
          : { ...outcome, status: 'failed to pay outstanding invoices' }
      }),
    changeQuantities: (account_sid, actor, products) =>
      act(account_sid, actor, async (lease, view) => {
        await checkProducts(around, account_sid, products)
        const categories = await categoriesBySid(database.db)
        const current = runningOf(view)
        if (isSwitchedOff(view.account)) return throwApiError('account_switched_off')
        const { latestInvoice } = current
        const id = randomUUID()
        if (current.hasPendingChange && latestInvoice?.isOpen)
          await ask(lease, () => billing.dropInvoice(latestInvoice.id, `${id}:drop:${latestInvoice.id}`))
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
        const quantities = { ...boughtIn(current, categories) }
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
        if (done.fault) return failed(done.fault)
        const after = done.current
        if (after?.id === subscription && !after.hasPendingChange) return { status: 'success' }
        if (after?.latestInvoice?.payment?.needsCustomer) return cardOutcome(after)
        return { status: 'failed', reason: 'payment required' }
      }),
    forecast: async (account_sid, products) => {
      try {
        const account = await accountOf(account_sid)
        await checkProducts(around, account_sid, products)
        const { stripe_customer_id: customer } = account
        if (customer === null) return throwApiError('no_subscription')
        const far = await billing.customer(customer)
        const current = runningOf({ account, customer, far, current: findCurrentSubscription(far, account) })
        const items = toLineChanges(current, products, await categoriesBySid(database.db))
        const { currency, prorated, monthly, nextAt } = await billing.forecast(current.id, items)
        return { currency, prorated_cost: prorated, monthly_cost: monthly, next_invoice_date: dayText(nextAt) }
      } catch (error) {
        throw toBillingApiError(error)
      }
    },
    downgrade: (account_sid, actor) =>
      act(account_sid, actor, async (lease, { account, far }) => {
        if (far.subscriptions.every(({ status }) => status === 'over')) {
          if (account.plan_type !== 'free') await write(actor, (tx) => assignStarterPlan(tx, account_sid, 'free'))
          return { status: 'success' }
        }
        const intent = { kind: 'downgrade', ...fresh() } as const
        await begin(lease, actor, intent)
        const { fault } = await carryOut(lease, intent, actor)
        return fault ? failed(fault) : { status: 'success' }
      }),
    async close(account_sid, author) {
      try {
        const { stripe_customer_id } = await accountOf(account_sid)
        if (stripe_customer_id === null) return
        await leases.forAction(
          account_sid,
          async (lease) => {
            const { customer, far } = await catchUp(lease, author)
            if (customer === null) return
            for (const { id, status, latestInvoice } of far.subscriptions) {
              if (status === 'over') continue
              const open = latestInvoice?.isOpen ? latestInvoice.id : undefined
              if (status !== 'incomplete') await ask(lease, () => billing.cancel(id))
              if (open) await ask(lease, () => billing.dropInvoice(open, `close:${open}`))
            }
            await ask(lease, () => billing.deleteCustomer(customer))
          },
          true,
        )
      } catch (error) {
        throw toBillingApiError(error)
      }
    },
  }
}
