import { throwApiError } from '@patchbay/contract/errors'
import type { ExpressionBuilder } from 'kysely'
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { latestDeadline } from '../lib/clock.ts'
import { type Database, inTransaction, insertIgnoringDuplicates } from '../database/engine.ts'
import type { Tables } from '../database/tables.ts'
import type { Intent } from './intents.ts'

/** Leases, so that only one process at a time works on an account's billing. A lease expires unless it is renewed. */

export interface Lease {
  account_sid: string
  claim: string
  /** An unfinished intent of an earlier operation. */
  intent: Intent | undefined
  customer_key: string | null
  requestedSyncs: number
  /** Extends the lease. Must be called before each step. Throws if another process has taken over. */
  renew(): Promise<void>
}

/** Longer than any single step, which is a request to Stripe or a transaction. */
export const leaseDurationMs = 60_000

const pollIntervalMs = 100
const maxAttempts = 50

interface LeaseDependencies {
  database: Database
  now: () => number
}

/** The initial row of an account. */
export const noClaim = { claimed_until: 0, is_action: 0, asked: 0, looked: 0, failures: 0 } as const

const addRow = async (dependencies: LeaseDependencies, account_sid: string): Promise<void> => {
  const { database } = dependencies
  if (await readRow(dependencies, account_sid)) return
  await inTransaction(database, (trx) =>
    insertIgnoringDuplicates(trx, database.engine, 'patchbay_billing', [{ ...noClaim, account_sid }]),
  )
}

interface RowState {
  claim: string | null
  claimed_until: number
  is_action: 0 | 1
}

/**
 * Condition that no process holds the lease. A lease that ends later than any lease can was created before the system
 * clock was set back, and has expired too.
 */
export const isUnclaimed = (where: ExpressionBuilder<Tables, 'patchbay_billing'>, now: number) =>
  where.or([where('claimed_until', '<=', now), where('claimed_until', '>', latestDeadline(now, leaseDurationMs))])

/** Updates the row if the condition holds, and retries on deadlock. Returns whether the row was updated. */
const setRow = async (
  { database }: LeaseDependencies,
  set: Partial<RowState>,
  account_sid: string,
  expected: { claim: string } | { unclaimedAt: number },
): Promise<boolean> => {
  const { numUpdatedRows } = await inTransaction(database, (trx) => {
    const row = trx.updateTable('patchbay_billing').set(set).where('account_sid', '=', account_sid)
    const update =
      'claim' in expected
        ? row.where('claim', '=', expected.claim)
        : row.where((where) => isUnclaimed(where, expected.unclaimedAt))
    return update.executeTakeFirstOrThrow()
  })
  return numUpdatedRows > 0n
}

const claimRow = async (
  dependencies: LeaseDependencies,
  account_sid: string,
  is_action: 0 | 1,
): Promise<string | undefined> => {
  const [claim, now] = [randomUUID(), dependencies.now()]
  const claimed = { claim, claimed_until: now + leaseDurationMs, is_action }
  return (await setRow(dependencies, claimed, account_sid, { unclaimedAt: now })) ? claim : undefined
}

const readRow = ({ database }: LeaseDependencies, account_sid: string) =>
  database.db.selectFrom('patchbay_billing').selectAll().where('account_sid', '=', account_sid).executeTakeFirst()

const createLease = async (dependencies: LeaseDependencies, account_sid: string, claim: string): Promise<Lease> => {
  const row = await readRow(dependencies, account_sid)
  if (row?.claim !== claim) return throwApiError('billing_in_progress')
  return {
    account_sid,
    claim,
    // The intent is written only by modules in this folder.
    intent: row.intent === null ? undefined : (JSON.parse(row.intent) as Intent),
    customer_key: row.customer_key,
    requestedSyncs: row.asked,
    async renew() {
      const claimed_until = dependencies.now() + leaseDurationMs
      if (!(await setRow(dependencies, { claimed_until }, account_sid, { claim }))) throwApiError('billing_in_progress')
    },
  }
}

const release = async (dependencies: LeaseDependencies, { account_sid, claim }: Lease): Promise<void> => {
  await setRow(dependencies, { claimed_until: 0, claim: null, is_action: 0 }, account_sid, { claim })
}

export interface Leases {
  /** For a waiting client. Throws `billing_in_progress` if another client's operation is running. */
  forAction<T>(account_sid: string, work: (lease: Lease) => Promise<T>, keepsLease?: true): Promise<T>
  /** For the poller. Returns undefined if the lease is taken. */
  forPolling<T>(account_sid: string, work: (lease: Lease) => Promise<T>): Promise<T | undefined>
}

export const createLeases = (dependencies: LeaseDependencies): Leases => {
  /**
   * Runs an operation and releases the lease.
   * @param keepsLease whether a successful operation keeps the lease until it expires
   */
  const runWithLease = async <T>(
    lease: Lease,
    operation: (lease: Lease) => Promise<T>,
    keepsLease = false,
  ): Promise<T> => {
    let isLeaseKept = false
    try {
      const done = await operation(lease)
      isLeaseKept = keepsLease
      return done
    } finally {
      if (!isLeaseKept) await release(dependencies, lease)
    }
  }
  return {
    async forAction(account_sid, operation, keepsLease) {
      await addRow(dependencies, account_sid)
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        const claim = await claimRow(dependencies, account_sid, 1)
        if (claim) {
          const lease = await createLease(dependencies, account_sid, claim)
          return runWithLease(lease, operation, keepsLease)
        }
        if ((await readRow(dependencies, account_sid))?.is_action === 1) break
        await pause(pollIntervalMs)
      }
      return throwApiError('billing_in_progress')
    },
    async forPolling(account_sid, operation) {
      const claim = await claimRow(dependencies, account_sid, 0)
      return claim === undefined
        ? undefined
        : runWithLease(await createLease(dependencies, account_sid, claim), operation)
    },
  }
}
