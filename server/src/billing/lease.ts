import { setTimeout as pause } from 'node:timers/promises'
import { throwApiError } from '@patchbay/contract/api/errors'
import { type Database, insertIgnoringDuplicates, inTransaction } from '../database/engine.ts'
import { createClaimLeases, noLease } from '../database/leases.ts'
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

/** A lease is longer than any single step, which is a request to Stripe or a transaction. */
export const rowLeases = createClaimLeases({ table: 'patchbay_billing', key: ['account_sid'], durationMs: 60_000 })

const pollIntervalMs = 100
const maxAttempts = 50

interface LeaseDependencies {
  database: Database
  now: () => number
}

/** The initial row of an account. */
export const newRow = { ...noLease, is_action: 0, asked: 0, looked: 0, failures: 0 } as const

const addRow = async (dependencies: LeaseDependencies, account_sid: string): Promise<void> => {
  const { database } = dependencies
  if (await readRow(dependencies, account_sid)) return
  await inTransaction(database, (trx) =>
    insertIgnoringDuplicates(trx, database.engine, 'patchbay_billing', [{ ...newRow, account_sid }]),
  )
}

const claimRow = (
  { database, now }: LeaseDependencies,
  account_sid: string,
  is_action: 0 | 1,
): Promise<string | undefined> =>
  inTransaction(database, (trx) => rowLeases.claim(trx, { account_sid }, now(), { set: { is_action } }))

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
      const { database, now } = dependencies
      const extension = rowLeases.extend(now())
      const isHeld = await inTransaction(database, (trx) => rowLeases.change(trx, { account_sid, claim }, extension))
      if (!isHeld) throwApiError('billing_in_progress')
    },
  }
}

const release = ({ database }: LeaseDependencies, lease: Lease): Promise<boolean> =>
  inTransaction(database, (trx) => rowLeases.release(trx, lease, { is_action: 0 }))

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
