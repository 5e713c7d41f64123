import { throwApiError } from '@patchbay/contract/errors'
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
import { agree, findCurrentSubscription } from './reconcile.ts'
import { type Intent, intentMilliseconds } from './intents.ts'
import type { Lease } from './lease.ts'
import { isSilent } from './outcomes.ts'
import { type BilledAccount, readAccount, recordPlan, setCard } from './subscription-rows.ts'

/** What has been written down is done at Stripe, its state is read, and ours made to agree with it. */

export interface BillingSurroundings {
  database: Database
  write: RunWrite
  billing: Billing
  encryption: Encryption
  onBackgroundError: (error: unknown, what: string) => void
  now: () => number
}

/** What both sides have of an account. */
export interface View {
  account: BilledAccount
  customer: string | null
  far: BilledCustomer
  current: BilledSubscription | undefined
}

const minute = 60_000
const hour = 60 * minute
/** Nothing is told us of what webhooks have lost, so it is looked for. */
const regularly = 6 * hour
const waitingLook = 10 * minute
const nobody: BilledCustomer = { isDeleted: false, card: null, subscriptions: [] }

/** Under one key only the same may be asked. */
const fingerprint = (value: object): string => createHash('sha256').update(JSON.stringify(value)).digest('base64url')

export type Settling = ReturnType<typeof createSettling>

export const createSettling = ({ database, write, billing, encryption, now }: BillingSurroundings) => {
  const accountOf = async (account_sid: string): Promise<BilledAccount> =>
    (await readAccount(database.db, database.engine, account_sid)) ?? throwApiError('not_found')

  const setRow = async (
    tx: WriteTransaction,
    { account_sid, claim }: Lease,
    set: {
      intent?: string | null
      customer_key?: string | null
      due_at?: number | null
      looked?: number
      failures?: number
    },
  ): Promise<void> => {
    const { numUpdatedRows } = await tx.trx
      .updateTable('patchbay_billing')
      .set(set)
      .where('account_sid', '=', account_sid)
      .where('claim', '=', claim)
      .executeTakeFirstOrThrow()
    // MariaDB counts rows that it found, also those that were so already.
    if (numUpdatedRows === 0n) throwApiError('billing_in_progress')
  }

  /** Before each question whoever asks makes sure that nobody else has the account meanwhile. */
  const ask = async <T>(lease: Lease, question: () => Promise<T>): Promise<T> => {
    await lease.keep()
    return question()
  }

  const readFar = (lease: Lease, customer: string | null): Promise<BilledCustomer> =>
    customer === null ? Promise.resolve(nobody) : ask(lease, () => billing.customer(customer))

  /** When to look again without being told. */
  const nextLook = ({ account, far, current }: View): number | null => {
    if (account.rows.some(({ pending }) => pending === 1)) return now() + waitingLook
    if (far.subscriptions.some(({ status }) => status === 'incomplete')) return now() + waitingLook
    if (current === undefined) return null
    return current.periodEnd > now() ? Math.min(now() + regularly, current.periodEnd + minute) : now() + hour
  }

  const storeCard = async (tx: WriteTransaction, { account, far, current }: View): Promise<void> => {
    if (far.card === null) return
    // As the platform does: the digits as JSON.
    const last4 = encryption.encrypt(JSON.stringify(far.card.last4))
    await setCard(tx, account.account_sid, { ...far.card, last4 }, current?.latestInvoice?.statementDescriptor ?? null)
  }

  /** What ended owing gave nothing for it, so that nobody may pay it any more. */
  const dropWhatIsOver = async (lease: Lease, { subscriptions }: BilledCustomer): Promise<void> => {
    for (const { status, latestInvoice } of subscriptions)
      if (status === 'over' && latestInvoice?.isOpen)
        await ask(lease, () => billing.dropInvoice(latestInvoice.id, `over:${latestInvoice.id}`))
  }

  /** Reads what Stripe has, and makes ours agree. What had begun is done with it, whatever came of it. */
  const settle = async (lease: Lease, author: Author, reason = 'not completed'): Promise<View> => {
    const { account_sid, asked } = lease
    const { stripe_customer_id: customer } = await accountOf(account_sid)
    const far = await readFar(lease, customer)
    await dropWhatIsOver(lease, far)
    await lease.keep()
    return write(author, async (tx) => {
      await setRow(tx, lease, { intent: null })
      const account = (await agree(tx, account_sid, far, reason)) ?? throwApiError('not_found')
      const view = {
        account,
        customer: far.isDeleted ? null : customer,
        far,
        current: findCurrentSubscription(far, account),
      }
      await storeCard(tx, view)
      await setRow(tx, lease, { looked: asked, failures: 0, due_at: nextLook(view) })
      return view
    })
  }

  const ownerOf = async (account_sid: string) => {
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
    const { stripe_customer_id: known } = await accountOf(account_sid)
    if (known !== null) return known
    const who = await ownerOf(account_sid)
    const key = lease.customer_key ?? randomUUID()
    if (lease.customer_key === null) await write(author, (tx) => setRow(tx, lease, { customer_key: key }))
    const stripe_customer_id = await ask(lease, () =>
      billing.createCustomer({ account_sid, ...who }, `customer:${key}:${fingerprint(who)}`),
    )
    await write(author, async (tx) => {
      await setRow(tx, lease, { customer_key: null })
      await tx.trx.updateTable('accounts').set({ stripe_customer_id }).where('account_sid', '=', account_sid).execute()
      const owner = { account_sid, service_provider_sid: null }
      const thing = { action: 'update', kind: 'plan', sid: account_sid, owner } as const
      tx.record({ ...thing, before: { stripe_customer_id: null }, after: { stripe_customer_id } })
    })
    return stripe_customer_id
  }

  const paysWhatIsOwed = async (lease: Lease, key: string, customer: string, card: string): Promise<void> => {
    const { subscriptions } = await readFar(lease, customer)
    for (const { status, hasPendingChange, latestInvoice } of subscriptions) {
      const isOwed = status === 'incomplete' || status === 'owed' || (status === 'running' && hasPendingChange)
      if (isOwed && latestInvoice?.isOpen)
        await ask(lease, () => billing.pay(latestInvoice.id, card, `${key}:pay:${latestInvoice.id}`))
    }
  }

  const steps = {
    async upgrade(lease: Lease, intent: Extract<Intent, { kind: 'upgrade' }>, author: Author): Promise<void> {
      const { id, account_subscription_sid, method, products } = intent
      const { account_sid } = lease
      const customer = await ensureCustomer(lease, author)
      await ask(lease, () => billing.useCard(customer, method, id))
      const { subscriptions } = await readFar(lease, customer)
      // After a crash it may be there already.
      if (subscriptions.some((one) => one.account_subscription_sid === account_subscription_sid)) return
      const purchase = { customer, account_sid, account_subscription_sid, items: products }
      await ask(lease, () => billing.subscribe(purchase, `${id}:subscribe`))
    },
    async quantities(lease: Lease, { id, subscription, items, resumes }: Extract<Intent, { kind: 'quantities' }>) {
      if (items.length > 0) await ask(lease, () => billing.changeItems(subscription, items, `${id}:items`))
      if (resumes) await ask(lease, () => billing.endWithPeriod(subscription, false, `${id}:resume`))
    },
    async card(lease: Lease, { id, method, old }: Extract<Intent, { kind: 'card' }>): Promise<void> {
      const { stripe_customer_id: customer } = await accountOf(lease.account_sid)
      if (customer === null) return
      const card = await ask(lease, () => billing.useCard(customer, method, id))
      if (old !== null && old !== card.id) await ask(lease, () => billing.forgetCard(old, `${id}:forget`))
      await paysWhatIsOwed(lease, id, customer, card.id)
    },
    async downgrade(lease: Lease, { id }: Extract<Intent, { kind: 'downgrade' }>): Promise<void> {
      const account = await accountOf(lease.account_sid)
      const { subscriptions } = await readFar(lease, account.stripe_customer_id)
      for (const { id: subscription, status, latestInvoice, hasPendingChange } of subscriptions) {
        const open = latestInvoice?.isOpen ? latestInvoice.id : undefined
        const drop = async () => {
          if (open) await ask(lease, () => billing.dropInvoice(open, `${id}:drop:${open}`))
        }
        if (status === 'incomplete') await drop()
        // What it owes is dropped once it has ended: before, that would set it going again.
        if (status === 'owed') await ask(lease, () => billing.cancel(subscription))
        if (status === 'running') {
          if (hasPendingChange) await drop()
          await ask(lease, () => billing.endWithPeriod(subscription, true, `${id}:end:${subscription}`))
        }
      }
    },
  }

  /** The steps of what was written down; each may have been done already. */
  const perform = (lease: Lease, intent: Intent, author: Author): Promise<void> => {
    switch (intent.kind) {
      case 'upgrade':
        return steps.upgrade(lease, intent, author)
      case 'quantities':
        return steps.quantities(lease, intent)
      case 'card':
        return steps.card(lease, intent)
      case 'downgrade':
        return steps.downgrade(lease, intent)
    }
  }

  interface Done extends View {
    /** why the last step was not done */
    fault: BillingError | undefined
  }

  /** Does what was written down and finds out what came of it. Without an answer it stays written down. */
  const carryOut = async (lease: Lease, intent: Intent, author: Author): Promise<Done> => {
    let fault: BillingError | undefined
    try {
      await perform(lease, intent, author)
    } catch (error) {
      if (!(error instanceof BillingError) || isSilent(error)) throw error
      fault = error
    }
    return { ...(await settle(lease, author, fault?.message)), fault }
  }

  /** What somebody had begun before, and how it stands now. */
  const catchUp = async (lease: Lease, author: Author): Promise<View> => {
    const { intent } = lease
    if (intent === undefined || now() - intent.begun > intentMilliseconds) return settle(lease, author)
    return carryOut(lease, intent, author)
  }

  const begin = async (
    lease: Lease,
    actor: Author,
    intent: Intent,
    more?: (tx: WriteTransaction) => Promise<void>,
  ): Promise<void> => {
    await lease.keep()
    await write(actor, async (tx) => {
      await setRow(tx, lease, { intent: JSON.stringify(intent), due_at: now() })
      const before = await readAccount(tx.trx, tx.engine, lease.account_sid, true)
      if (before === undefined) return throwApiError('not_found')
      await more?.(tx)
      recordPlan(tx, before, await readAccount(tx.trx, tx.engine, lease.account_sid))
    })
  }

  return { accountOf, ask, begin, carryOut, catchUp, ensureCustomer, settle }
}
