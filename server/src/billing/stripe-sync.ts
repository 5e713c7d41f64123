import { throwApiError } from '@patchbay/contract/api/errors'
import { hourMs, minuteMs } from '@patchbay/contract/shared/durations'
import { type BilledCustomer, type BilledSubscription, BillingError } from '../adapters/billing/billing.ts'
import type { Author, WriteTransaction } from '../database/write-transaction.ts'
import { type Intent, intentTimeoutMs } from './intents.ts'
import type { Lease } from './lease.ts'
import { isSilent } from './outcomes.ts'
import { findCurrentSubscription, reconcile } from './reconcile.ts'
import { createIntentRunner } from './run-intents.ts'
import { type BillingDependencies, createStripeAccounts } from './stripe-accounts.ts'
import { type BilledAccount, readAccount, recordPlan, setCard } from './subscription-rows.ts'

/** Executes intents at Stripe, reads its state, and reconciles the local state with it. */

/** The state of an account in the database and at Stripe. */
export interface View {
  account: BilledAccount
  customer: string | null
  billedCustomer: BilledCustomer
  current: BilledSubscription | undefined
}

interface IntentResult extends View {
  /** The error of the last step, if it failed. */
  fault: BillingError | undefined
}

/** Lost webhook events leave no trace, so accounts are also synchronized regularly. */
const regularIntervalMs = 6 * hourMs
const pendingIntervalMs = 10 * minuteMs

export type StripeSync = ReturnType<typeof createStripeSync>

export const createStripeSync = (dependencies: BillingDependencies) => {
  const { write, billing, encryption, now } = dependencies
  const accounts = createStripeAccounts(dependencies)
  const { findAccount, setRow, callStripe, readBilledCustomer, ensureCustomer } = accounts
  const runIntent = createIntentRunner(billing, accounts)

  /** Returns when to synchronize again without an event, or null for never. */
  const getNextSync = ({ account, billedCustomer, current }: View): number | null => {
    if (account.rows.some(({ pending }) => pending === 1)) return now() + pendingIntervalMs
    if (billedCustomer.subscriptions.some(({ status }) => status === 'incomplete')) return now() + pendingIntervalMs
    if (current === undefined) return null
    return current.periodEnd > now()
      ? Math.min(now() + regularIntervalMs, current.periodEnd + minuteMs)
      : now() + hourMs
  }

  const storeCard = async (tx: WriteTransaction, { account, billedCustomer, current }: View): Promise<void> => {
    if (billedCustomer.card === null) return
    // Same format as in jambonz: the digits as JSON.
    const last4 = encryption.encrypt(JSON.stringify(billedCustomer.card.last4))
    await setCard(
      tx,
      account.account_sid,
      { ...billedCustomer.card, last4 },
      current?.latestInvoice?.statementDescriptor ?? null,
    )
  }

  /** Voids open invoices of ended subscriptions, because they charge for a service that was not provided. */
  const voidEndedInvoices = async (lease: Lease, { subscriptions }: BilledCustomer): Promise<void> => {
    for (const { status, latestInvoice } of subscriptions)
      if (status === 'over' && latestInvoice?.isOpen)
        await callStripe(lease, () => billing.dropInvoice(latestInvoice.id, `over:${latestInvoice.id}`))
  }

  /**
   * Reads the state of Stripe and reconciles the local state. This completes the current intent, whatever its outcome.
   */
  const settle = async (lease: Lease, author: Author, reason = 'not completed'): Promise<View> => {
    const { account_sid, requestedSyncs } = lease
    const { stripe_customer_id: customer } = await findAccount(account_sid)
    const billedCustomer = await readBilledCustomer(lease, customer)
    await voidEndedInvoices(lease, billedCustomer)
    await lease.renew()
    return write(author, async (tx) => {
      await setRow(tx, lease, { intent: null })
      const account = (await reconcile(tx, account_sid, billedCustomer, reason)) ?? throwApiError('not_found')
      const view = {
        account,
        customer: billedCustomer.isDeleted ? null : customer,
        billedCustomer,
        current: findCurrentSubscription(billedCustomer, account),
      }
      await storeCard(tx, view)
      await setRow(tx, lease, { looked: requestedSyncs, failures: 0, due_at: getNextSync(view) })
      return view
    })
  }

  /** Runs an intent and determines its outcome. If Stripe does not respond, the intent remains stored. */
  const executeIntent = async (lease: Lease, intent: Intent, author: Author): Promise<IntentResult> => {
    let fault: BillingError | undefined
    try {
      await runIntent(lease, intent, author)
    } catch (error) {
      if (!(error instanceof BillingError) || isSilent(error)) throw error
      fault = error
    }
    return { ...(await settle(lease, author, fault?.message)), fault }
  }

  /** Finishes an earlier intent, if there is one, and returns the current state. */
  const finishIntent = async (lease: Lease, author: Author): Promise<View> => {
    const { intent } = lease
    if (intent === undefined || now() - intent.begun > intentTimeoutMs) return settle(lease, author)
    return executeIntent(lease, intent, author)
  }

  const storeIntent = async (
    lease: Lease,
    actor: Author,
    intent: Intent,
    addRows?: (tx: WriteTransaction) => Promise<void>,
  ): Promise<void> => {
    await lease.renew()
    await write(actor, async (tx) => {
      await setRow(tx, lease, { intent: JSON.stringify(intent), due_at: now() })
      const before = await readAccount(tx.trx, tx.engine, lease.account_sid, true)
      if (before === undefined) return throwApiError('not_found')
      await addRows?.(tx)
      recordPlan(tx, before, await readAccount(tx.trx, tx.engine, lease.account_sid))
    })
  }

  return {
    findAccount,
    callStripe,
    begin: storeIntent,
    carryOut: executeIntent,
    catchUp: finishIntent,
    ensureCustomer,
    settle,
  }
}
