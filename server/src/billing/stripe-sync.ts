import { throwApiError } from '@patchbay/contract/api/errors'
import { hourMs, minuteMs } from '@patchbay/contract/shared/durations'
import { createHash, randomUUID } from 'node:crypto'
import type { Database } from '../database/engine.ts'
import type { Author, WriteTransaction, RunWrite } from '../database/write-transaction.ts'
import type { Encryption } from '../lib/encryption.ts'
import {
  type BilledCustomer,
  type BilledSubscription,
  type Billing,
  BillingError,
} from '../adapters/billing/billing.ts'
import { reconcile, findCurrentSubscription } from './reconcile.ts'
import { type Intent, intentTimeoutMs } from './intents.ts'
import { type Lease, rowLeases } from './lease.ts'
import { isSilent } from './outcomes.ts'
import { type BilledAccount, readAccount, recordPlan, setCard } from './subscription-rows.ts'
import type { OnBackgroundError } from '../lib/log.ts'

/** Executes intents at Stripe, reads its state, and reconciles the local state with it. */

export interface BillingDependencies {
  database: Database
  write: RunWrite
  billing: Billing
  encryption: Encryption
  onBackgroundError: OnBackgroundError
  now: () => number
}

/** The state of an account in the database and at Stripe. */
export interface View {
  account: BilledAccount
  customer: string | null
  billedCustomer: BilledCustomer
  current: BilledSubscription | undefined
}

/** Lost webhook events leave no trace, so accounts are also synchronized regularly. */
const regularIntervalMs = 6 * hourMs
const pendingIntervalMs = 10 * minuteMs
const noCustomer: BilledCustomer = { isDeleted: false, card: null, subscriptions: [] }

/** Stripe accepts an idempotency key only with identical parameters, so their fingerprint is a part of it. */
const fingerprint = (value: object): string => createHash('sha256').update(JSON.stringify(value)).digest('base64url')

export type StripeSync = ReturnType<typeof createStripeSync>

export const createStripeSync = ({ database, write, billing, encryption, now }: BillingDependencies) => {
  const findAccount = async (account_sid: string): Promise<BilledAccount> =>
    (await readAccount(database.db, database.engine, account_sid)) ?? throwApiError('not_found')

  const setRow = async (
    tx: WriteTransaction,
    lease: Lease,
    set: {
      intent?: string | null
      customer_key?: string | null
      due_at?: number | null
      looked?: number
      failures?: number
    },
  ): Promise<void> => {
    if (!(await rowLeases.change(tx.trx, lease, set))) throwApiError('billing_in_progress')
  }

  /** Renews the lease before each request, to ensure that no other process works on the account. */
  const callStripe = async <T>(lease: Lease, request: () => Promise<T>): Promise<T> => {
    await lease.renew()
    return request()
  }

  const readBilledCustomer = (lease: Lease, customer: string | null): Promise<BilledCustomer> =>
    customer === null ? Promise.resolve(noCustomer) : callStripe(lease, () => billing.customer(customer))

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

  const findContact = async (account_sid: string) => {
    const owner = await database.db
      .selectFrom('users')
      .select(['email', 'name'])
      .where('account_sid', '=', account_sid)
      .orderBy('user_sid')
      .executeTakeFirst()
    return { email: owner?.email ?? null, name: owner?.name ?? null }
  }

  const ensureCustomer = async (lease: Lease, author: Author): Promise<string> => {
    const { account_sid } = lease
    const { stripe_customer_id: existingId } = await findAccount(account_sid)
    if (existingId !== null) return existingId
    const contact = await findContact(account_sid)
    const key = lease.customer_key ?? randomUUID()
    if (lease.customer_key === null) await write(author, (tx) => setRow(tx, lease, { customer_key: key }))
    const stripe_customer_id = await callStripe(lease, () =>
      billing.createCustomer({ account_sid, ...contact }, `customer:${key}:${fingerprint(contact)}`),
    )
    await write(author, async (tx) => {
      await setRow(tx, lease, { customer_key: null })
      await tx.trx.updateTable('accounts').set({ stripe_customer_id }).where('account_sid', '=', account_sid).execute()
      const owner = { account_sid, service_provider_sid: null }
      const event = { action: 'update', kind: 'plan', sid: account_sid, owner } as const
      tx.record({ ...event, before: { stripe_customer_id: null }, after: { stripe_customer_id } })
    })
    return stripe_customer_id
  }

  const payOpenInvoices = async (lease: Lease, key: string, customer: string, card: string): Promise<void> => {
    const { subscriptions } = await readBilledCustomer(lease, customer)
    for (const { status, hasPendingChange, latestInvoice } of subscriptions) {
      const isOwed = status === 'incomplete' || status === 'owed' || (status === 'running' && hasPendingChange)
      if (isOwed && latestInvoice?.isOpen)
        await callStripe(lease, () => billing.pay(latestInvoice.id, card, `${key}:pay:${latestInvoice.id}`))
    }
  }

  const intentHandlers = {
    async upgrade(lease: Lease, intent: Extract<Intent, { kind: 'upgrade' }>, author: Author): Promise<void> {
      const { id, account_subscription_sid, method, products } = intent
      const { account_sid } = lease
      const customer = await ensureCustomer(lease, author)
      await callStripe(lease, () => billing.useCard(customer, method, id))
      const { subscriptions } = await readBilledCustomer(lease, customer)
      // The subscription may exist from an attempt before a crash.
      if (subscriptions.some((one) => one.account_subscription_sid === account_subscription_sid)) return
      const purchase = { customer, account_sid, account_subscription_sid, items: products }
      await callStripe(lease, () => billing.subscribe(purchase, `${id}:subscribe`))
    },
    async quantities(lease: Lease, { id, subscription, items, resumes }: Extract<Intent, { kind: 'quantities' }>) {
      if (items.length > 0) await callStripe(lease, () => billing.changeItems(subscription, items, `${id}:items`))
      if (resumes) await callStripe(lease, () => billing.endWithPeriod(subscription, false, `${id}:resume`))
    },
    async card(lease: Lease, { id, method, old }: Extract<Intent, { kind: 'card' }>): Promise<void> {
      const { stripe_customer_id: customer } = await findAccount(lease.account_sid)
      if (customer === null) return
      const card = await callStripe(lease, () => billing.useCard(customer, method, id))
      if (old !== null && old !== card.id) await callStripe(lease, () => billing.forgetCard(old, `${id}:forget`))
      await payOpenInvoices(lease, id, customer, card.id)
    },
    async downgrade(lease: Lease, { id }: Extract<Intent, { kind: 'downgrade' }>): Promise<void> {
      const account = await findAccount(lease.account_sid)
      const { subscriptions } = await readBilledCustomer(lease, account.stripe_customer_id)
      for (const { id: subscription, status, latestInvoice, hasPendingChange } of subscriptions) {
        const open = latestInvoice?.isOpen ? latestInvoice.id : undefined
        const drop = async () => {
          if (open) await callStripe(lease, () => billing.dropInvoice(open, `${id}:drop:${open}`))
        }
        if (status === 'incomplete') await drop()
        // Open invoices are voided after the cancellation, because voiding them first would reactivate the
        // subscription.
        if (status === 'owed') await callStripe(lease, () => billing.cancel(subscription))
        if (status === 'running') {
          if (hasPendingChange) await drop()
          await callStripe(lease, () => billing.endWithPeriod(subscription, true, `${id}:end:${subscription}`))
        }
      }
    },
  }

  /** Runs the steps of an intent. Each may have been done by an earlier attempt. */
  const runIntent = (lease: Lease, intent: Intent, author: Author): Promise<void> => {
    switch (intent.kind) {
      case 'upgrade':
        return intentHandlers.upgrade(lease, intent, author)
      case 'quantities':
        return intentHandlers.quantities(lease, intent)
      case 'card':
        return intentHandlers.card(lease, intent)
      case 'downgrade':
        return intentHandlers.downgrade(lease, intent)
    }
  }

  interface IntentResult extends View {
    /** The error of the last step, if it failed. */
    fault: BillingError | undefined
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
