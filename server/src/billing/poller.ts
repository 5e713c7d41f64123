import { ApiError } from '@patchbay/contract/api/errors'
import { dayMs, hourMs } from '@patchbay/contract/shared/durations'
import type { Transaction } from 'kysely'
import { insertIgnoringDuplicates, inTransaction } from '../database/engine.ts'
import type { Tables } from '../database/tables.ts'
import { exponentialBackoffMs } from '../lib/backoff.ts'
import { throttle } from '../lib/throttle.ts'
import { type Leases, newRow, rowLeases } from './lease.ts'
import type { BillingDependencies } from './stripe-accounts.ts'
import type { StripeSync } from './stripe-sync.ts'
import { expireTrials } from './trials.ts'

/** Decides when an account is synchronized with Stripe: after events, and after a long time without any. */

const batchSize = 20
const cleanupIntervalMs = 600_000
const retryBackoff = { firstMs: 30_000, maxMs: hourMs }
const maxFailures = 10
/** Event IDs are stored to detect duplicates. Stripe repeats an event for several days. */
const eventRetentionMs = 30 * dayMs

export interface BillingPoller {
  /**
   * Stores an event. Returns false if its signature is invalid. Otherwise the event is stored when the promise
   * resolves.
   */
  receiveEvent(payload: string, signature: string): Promise<boolean>
  /**
   * Synchronizes the accounts that are due, and periodically ends expired trials. Resolves when all of them are done.
   */
  pass(): Promise<void>
}

export const createBillingPoller = (
  { database, write, billing, onBackgroundError, now }: BillingDependencies,
  leases: Leases,
  { catchUp }: StripeSync,
): BillingPoller => {
  const scheduleRetry = async (trx: Transaction<Tables>, account_sid: string): Promise<void> => {
    const row = trx.selectFrom('patchbay_billing').select('failures').where('account_sid', '=', account_sid)
    const failures = Math.min(maxFailures, ((await row.executeTakeFirst())?.failures ?? 0) + 1)
    await trx
      .updateTable('patchbay_billing')
      .set({ failures, due_at: now() + exponentialBackoffMs(failures, retryBackoff) })
      .where('account_sid', '=', account_sid)
      .execute()
  }

  const syncAccount = async (account_sid: string): Promise<void> => {
    try {
      await leases.forPolling(account_sid, (lease) => catchUp(lease, 'patchbay'))
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not_found') {
        // The account has been deleted. Its subscriptions were ended before.
        await database.db.deleteFrom('patchbay_billing').where('account_sid', '=', account_sid).execute()
        return
      }
      await inTransaction(database, (trx) => scheduleRetry(trx, account_sid))
      onBackgroundError(error, 'the subscription of an account could not be checked; retrying', { account_sid })
    }
  }

  const listDueAccounts = async (): Promise<string[]> => {
    const rows = await database.db
      .selectFrom('patchbay_billing')
      .select('account_sid')
      .where((where) =>
        where.or([
          where('due_at', '<=', now()),
          where.and([where('asked', '>', where.ref('looked')), where('failures', '=', 0)]),
        ]),
      )
      .where(rowLeases.isFree(now()))
      .limit(batchSize)
      .execute()
    return rows.map(({ account_sid }) => account_sid)
  }

  const cleanUp = throttle(cleanupIntervalMs, async () => {
    await expireTrials(database, write, new Date(now()))
    const oldestKept = now() - eventRetentionMs
    await database.db.deleteFrom('patchbay_billing_events').where('received_at', '<', oldestKept).execute()
  })

  return {
    async receiveEvent(payload, signature) {
      const event = await billing.readEvent(payload, signature)
      if (event === undefined) return false
      const { id: event_id, customer } = event
      await inTransaction(database, async (trx) => {
        const insertedRows = await insertIgnoringDuplicates(trx, database.engine, 'patchbay_billing_events', [
          { event_id: event_id.slice(0, 255), received_at: now() },
        ])
        if (insertedRows.length === 0 || customer === null) return
        const accounts = trx.selectFrom('accounts').select('account_sid').where('stripe_customer_id', '=', customer)
        for (const { account_sid } of await accounts.execute()) {
          const { numUpdatedRows } = await trx
            .updateTable('patchbay_billing')
            .set((set) => ({ asked: set('asked', '+', 1) }))
            .where('account_sid', '=', account_sid)
            .executeTakeFirstOrThrow()
          // Inserting an existing row would lock it in a way that causes deadlocks with concurrent requests.
          if (numUpdatedRows === 0n)
            await insertIgnoringDuplicates(trx, database.engine, 'patchbay_billing', [
              { ...newRow, account_sid, asked: 1 },
            ])
        }
      })
      return true
    },
    async pass() {
      for (const account_sid of await listDueAccounts()) await syncAccount(account_sid)
      await cleanUp()
    },
  }
}
