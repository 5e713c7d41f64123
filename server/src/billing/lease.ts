import { throwApiError } from '@patchbay/contract/errors'
import type { ExpressionBuilder } from 'kysely'
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { latestDeadline } from '../lib/clock.ts'
import { type Database, inTransaction, insertIgnoringDuplicates } from '../database/engine.ts'
import type { Tables } from '../database/tables.ts'
import type { Intent } from './intents.ts'

/** One process at a time has to do with an account's billing: for so long as it says that it still does. */

export interface Lease {
  account_sid: string
  claim: string
  /** what had begun before */
  intent: Intent | undefined
  customer_key: string | null
  asked: number
  /** Before each step; fails where somebody else has it now. */
  keep(): Promise<void>
}

/** Longer than one step, which is a question to Stripe or a transaction, takes. */
export const leaseMilliseconds = 60_000

const pollMilliseconds = 100
const patience = 50

interface Surroundings {
  database: Database
  now: () => number
}

/** A row of somebody who has had nothing to do with billing yet. */
export const noClaim = { claimed_until: 0, is_action: 0, asked: 0, looked: 0, failures: 0 } as const

const addRow = async (around: Surroundings, account_sid: string): Promise<void> => {
  const { database } = around
  if (await readRow(around, account_sid)) return
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
 * Condition: no process holds the lease. A lease that ends later than any lease can was taken before the system clock was
 * set back, and has expired too.
 */
export const isUnclaimed = (where: ExpressionBuilder<Tables, 'patchbay_billing'>, now: number) =>
  where.or([where('claimed_until', '<=', now), where('claimed_until', '>', latestDeadline(now, leaseMilliseconds))])

/** Begun anew where it stands in another's way; answers whether there was such a row. */
const setRow = async (
  { database }: Surroundings,
  set: Partial<RowState>,
  account_sid: string,
  is: { claim: string } | { unclaimedAt: number },
): Promise<boolean> => {
  const { numUpdatedRows } = await inTransaction(database, (trx) => {
    const row = trx.updateTable('patchbay_billing').set(set).where('account_sid', '=', account_sid)
    const wanted =
      'claim' in is ? row.where('claim', '=', is.claim) : row.where((where) => isUnclaimed(where, is.unclaimedAt))
    return wanted.executeTakeFirstOrThrow()
  })
  return numUpdatedRows > 0n
}

const claimRow = async (around: Surroundings, account_sid: string, is_action: 0 | 1): Promise<string | undefined> => {
  const [claim, now] = [randomUUID(), around.now()]
  const claimed = { claim, claimed_until: now + leaseMilliseconds, is_action }
  return (await setRow(around, claimed, account_sid, { unclaimedAt: now })) ? claim : undefined
}

const readRow = ({ database }: Surroundings, account_sid: string) =>
  database.db.selectFrom('patchbay_billing').selectAll().where('account_sid', '=', account_sid).executeTakeFirst()

const leaseOf = async (around: Surroundings, account_sid: string, claim: string): Promise<Lease> => {
  const row = await readRow(around, account_sid)
  if (row?.claim !== claim) return throwApiError('billing_in_progress')
  return {
    account_sid,
    claim,
    // Only this file and its neighbours write it.
    intent: row.intent === null ? undefined : (JSON.parse(row.intent) as Intent),
    customer_key: row.customer_key,
    asked: row.asked,
    async keep() {
      const claimed_until = around.now() + leaseMilliseconds
      if (!(await setRow(around, { claimed_until }, account_sid, { claim }))) throwApiError('billing_in_progress')
    },
  }
}

const release = async (around: Surroundings, { account_sid, claim }: Lease): Promise<void> => {
  await setRow(around, { claimed_until: 0, claim: null, is_action: 0 }, account_sid, { claim })
}

export interface Leases {
  /** For somebody who waits: of two of them the second is refused. */
  forAction<T>(account_sid: string, work: (lease: Lease) => Promise<T>, keepsIt?: true): Promise<T>
  /** undefined where somebody else has it */
  forLook<T>(account_sid: string, work: (lease: Lease) => Promise<T>): Promise<T | undefined>
}

export const createLeases = (around: Surroundings): Leases => {
  /** `keepsIt`: once it is done, until the lease runs out */
  const work = async <T>(lease: Lease, doing: (lease: Lease) => Promise<T>, keepsIt = false): Promise<T> => {
    let isKept = false
    try {
      const done = await doing(lease)
      isKept = keepsIt
      return done
    } finally {
      if (!isKept) await release(around, lease)
    }
  }
  return {
    async forAction(account_sid, doing, keepsIt) {
      await addRow(around, account_sid)
      for (let attempt = 0; attempt < patience; attempt += 1) {
        const claim = await claimRow(around, account_sid, 1)
        if (claim) {
          const lease = await leaseOf(around, account_sid, claim)
          return work(lease, doing, keepsIt)
        }
        if ((await readRow(around, account_sid))?.is_action === 1) break
        await pause(pollMilliseconds)
      }
      return throwApiError('billing_in_progress')
    },
    async forLook(account_sid, doing) {
      const claim = await claimRow(around, account_sid, 0)
      return claim === undefined ? undefined : work(await leaseOf(around, account_sid, claim), doing)
    },
  }
}
