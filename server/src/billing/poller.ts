import { ApiError } from '@patchbay/contract/errors'
import type { Transaction } from 'kysely'
import { inTransaction, insertIgnoringDuplicates } from '../database/engine.ts'
import type { Tables } from '../database/tables.ts'
import { throttle } from '../lib/throttle.ts'
import { isUnclaimed, type Leases, noClaim } from './lease.ts'
import type { BillingSurroundings, Settling } from './stripe-sync.ts'
import { expireTrials } from './trials.ts'

/** Who looks when: for events, and where nobody has told us anything for long. */

const batchSize = 20
const hour = 3_600_000
const tidyMilliseconds = 600_000
const firstWait = 15_000
const maxFailures = 10
/** Stripe sends an event again for some days. */
const eventMilliseconds = 30 * 24 * hour

export interface Looking {
  /** Takes an event; false where its signature is not good. When it answers, the event is not forgotten. */
  takeEvent(payload: string, signature: string): Promise<boolean>
  /** Looks at accounts that want it, and now and then for trials that are over; resolves when it has. */
  pass(): Promise<void>
}

export const createBillingPoller = (
  { database, write, billing, onBackgroundError, now }: BillingSurroundings,
  leases: Leases,
  { catchUp }: Settling,
): Looking => {
  const tryLater = async (trx: Transaction<Tables>, account_sid: string): Promise<void> => {
    const row = trx.selectFrom('patchbay_billing').select('failures').where('account_sid', '=', account_sid)
    const failures = Math.min(maxFailures, ((await row.executeTakeFirst())?.failures ?? 0) + 1)
    await trx
      .updateTable('patchbay_billing')
      .set({ failures, due_at: now() + Math.min(hour, firstWait * 2 ** failures) })
      .where('account_sid', '=', account_sid)
      .execute()
  }

  const look = async (account_sid: string): Promise<void> => {
    try {
      await leases.forLook(account_sid, (lease) => catchUp(lease, 'patchbay'))
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not_found') {
        // The account is gone, and what it had at Stripe went before it.
        await database.db.deleteFrom('patchbay_billing').where('account_sid', '=', account_sid).execute()
        return
      }
      await inTransaction(database, (trx) => tryLater(trx, account_sid))
      onBackgroundError(error, 'the subscription of an account could not be looked at; it is tried again')
    }
  }

  const dueAccounts = async (): Promise<string[]> => {
    const rows = await database.db
      .selectFrom('patchbay_billing')
      .select('account_sid')
      .where((where) =>
        where.or([
          where('due_at', '<=', now()),
          where.and([where('asked', '>', where.ref('looked')), where('failures', '=', 0)]),
        ]),
      )
      .where((where) => isUnclaimed(where, now()))
      .limit(batchSize)
      .execute()
    return rows.map(({ account_sid }) => account_sid)
  }

  const tidy = throttle(tidyMilliseconds, async () => {
    await expireTrials(database, write, new Date(now()))
    const old = now() - eventMilliseconds
    await database.db.deleteFrom('patchbay_billing_events').where('received_at', '<', old).execute()
  })

  return {
    async takeEvent(payload, signature) {
      const event = await billing.readEvent(payload, signature)
      if (event === undefined) return false
      const { id: event_id, customer } = event
      await inTransaction(database, async (trx) => {
        const fresh = await insertIgnoringDuplicates(trx, database.engine, 'patchbay_billing_events', [
          { event_id: event_id.slice(0, 255), received_at: now() },
        ])
        if (fresh.length === 0 || customer === null) return
        const accounts = trx.selectFrom('accounts').select('account_sid').where('stripe_customer_id', '=', customer)
        for (const { account_sid } of await accounts.execute()) {
          const { numUpdatedRows } = await trx
            .updateTable('patchbay_billing')
            .set((set) => ({ asked: set('asked', '+', 1) }))
            .where('account_sid', '=', account_sid)
            .executeTakeFirstOrThrow()
          // An attempt to insert a row that is there would hold it in a way in which two stand in each other's.
          if (numUpdatedRows === 0n)
            await insertIgnoringDuplicates(trx, database.engine, 'patchbay_billing', [
              { ...noClaim, account_sid, asked: 1 },
            ])
        }
      })
      return true
    },
    async pass() {
      for (const account_sid of await dueAccounts()) await look(account_sid)
      await tidy()
    },
  }
}
