import { createHash, randomUUID } from 'node:crypto'
import { throwApiError } from '@patchbay/contract/api/errors'
import type { BilledCustomer, Billing } from '../adapters/billing/billing.ts'
import type { Database } from '../database/engine.ts'
import type { Author, RunWrite, WriteTransaction } from '../database/write-transaction.ts'
import type { Encryption } from '../lib/encryption.ts'
import type { OnBackgroundError } from '../lib/log.ts'
import { type Lease, rowLeases } from './lease.ts'
import { type BilledAccount, readAccount } from './subscription-rows.ts'

/** Reads and changes an account and its customer at Stripe, while a lease is held. */

export interface BillingDependencies {
  database: Database
  write: RunWrite
  billing: Billing
  encryption: Encryption
  onBackgroundError: OnBackgroundError
  now: () => number
}

/** Columns of the billing row that change while a lease is held. */
interface BillingRowChange {
  intent?: string | null
  customer_key?: string | null
  due_at?: number | null
  looked?: number
  failures?: number
}

const noCustomer: BilledCustomer = { isDeleted: false, card: null, subscriptions: [] }

/** Stripe accepts an idempotency key only with identical parameters, so their fingerprint is a part of it. */
const fingerprint = (value: object): string => createHash('sha256').update(JSON.stringify(value)).digest('base64url')

export type StripeAccounts = ReturnType<typeof createStripeAccounts>

export const createStripeAccounts = ({ database, write, billing }: BillingDependencies) => {
  const findAccount = async (account_sid: string): Promise<BilledAccount> =>
    (await readAccount(database.db, database.engine, account_sid)) ?? throwApiError('not_found')

  const setRow = async (tx: WriteTransaction, lease: Lease, set: BillingRowChange): Promise<void> => {
    if (!(await rowLeases.change(tx.trx, lease, set))) throwApiError('billing_in_progress')
  }

  /** Renews the lease before each request, to ensure that no other process works on the account. */
  const callStripe = async <T>(lease: Lease, request: () => Promise<T>): Promise<T> => {
    await lease.renew()
    return request()
  }

  const readBilledCustomer = (lease: Lease, customer: string | null): Promise<BilledCustomer> =>
    customer === null ? Promise.resolve(noCustomer) : callStripe(lease, () => billing.customer(customer))

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

  return { findAccount, setRow, callStripe, readBilledCustomer, ensureCustomer }
}
