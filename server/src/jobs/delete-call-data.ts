import { setTimeout as pause } from 'node:timers/promises'
import { ApiError } from '@patchbay/contract/api/errors'
import { dayMs, hourMs } from '@patchbay/contract/shared/durations'
import type { Selectable } from 'kysely'
import type { DeletedRows, DeletionScope, DeletionStep } from '../call-data/deletion/deletion.ts'
import { type Database, inTransaction, lockForUpdate } from '../database/engine.ts'
import { createClaimLeases, noLease } from '../database/leases.ts'
import { dataDeletionErrorLength } from '../database/patchbay-schema.ts'
import type { Tables } from '../database/tables.ts'
import { exponentialBackoffMs } from '../lib/backoff.ts'
import { monotonicMs } from '../lib/clock.ts'
import type { OnBackgroundError } from '../lib/log.ts'

/**
 * Deletes the call data of accounts and providers in small steps. One process works on one deletion at a time, so that a
 * provider, which can only be deleted after its accounts, comes after them, and the other work is delayed little.
 */

/** Another process continues after this time without progress. */
const leases = createClaimLeases({
  table: 'patchbay_data_deletions',
  key: ['data_deletion_sid'],
  durationMs: 120_000,
})
/** Limits of the pause after each part, which is as long as the part was, so that the requests of tenants come first. */
const pauseMs = { min: 20, max: 200 }
const retry = { firstMs: 5000, maxMs: 600_000 }
/** Failures after which the storage of recordings is skipped, about two hours after the first one. */
const maxStorageFailures = 18
/** Late data of a deleted account, such as that on the disk of a process, is deleted after these times. */
const repeatAfterMs = [hourMs, dayMs, 7 * dayMs]
/** Finished deletions are listed for this time. */
const listedMs = 365 * dayMs

export interface DeletionJobOptions {
  database: Database
  steps: readonly DeletionStep[]
  onBackgroundError: OnBackgroundError
  now: () => number
  signal: AbortSignal
  /** Maximum pause after each part. */
  maxPauseMs?: number
}

type Row = Selectable<Tables['patchbay_data_deletions']>

/** The step that runs, and its position. */
interface Progress {
  step?: string
  position?: unknown
  /** Whether the recordings in the storage of the account are skipped from now on. */
  skipsStorage?: boolean
}

const skippedStorage = 'The storage of the account did not respond, so recordings in it were not deleted.'

/** Another process has taken over, because this one made no progress. */
class ClaimLostError extends Error {}

const claimDeletion = (database: Database, now: number): Promise<(Row & { claim: string }) | undefined> =>
  inTransaction(database, async (trx) => {
    const due = trx
      .selectFrom('patchbay_data_deletions')
      .selectAll()
      .where('due_at', '<=', now)
      .orderBy('requested_at')
      .orderBy('data_deletion_sid')
      .limit(1)
    const row = await lockForUpdate(database.engine, due).executeTakeFirst()
    if (row === undefined) return undefined
    const started_at = row.started_at ?? now
    const claim = await leases.claim(trx, row, now, { set: { started_at } })
    return claim === undefined ? undefined : { ...row, claim, started_at }
  })

const addRows = (total: DeletedRows, deleted: DeletedRows): DeletedRows => {
  const kinds = Object.entries(deleted) as [keyof DeletedRows, number][]
  return kinds.reduce((sum, [kind, count]) => (count === 0 ? sum : { ...sum, [kind]: (sum[kind] ?? 0) + count }), total)
}

const toScope = (row: Row, skipsStorage: boolean): DeletionScope => {
  const owner = row.account_sid === null ? 'service_provider_sid' : 'account_sid'
  return {
    owner,
    sid: row[owner] ?? '',
    before: row.before_at ?? undefined,
    run: `${row.data_deletion_sid} ${row.runs}`,
    skipsStorage,
  }
}

/** Returns the reason that users see. Messages of databases can contain addresses and data. */
const toReason = (error: unknown): string =>
  (error instanceof ApiError ? error.message : 'A store of call data failed.').slice(0, dataDeletionErrorLength)

/** Creates the job that works on the deletions that are due. */
export const createDeletionJob = (options: DeletionJobOptions): (() => Promise<void>) => {
  const { database, steps, onBackgroundError, now, signal } = options
  const maxPauseMs = options.maxPauseMs ?? pauseMs.max

  /** Changes a deletion that this process has claimed. */
  const update = async (row: Row, change: Partial<Omit<Row, 'data_deletion_sid'>>) => {
    const isHeld = await leases.change(database.db, row, change)
    if (!isHeld) throw new ClaimLostError('another process has taken over the deletion')
  }

  /** Runs all steps from the saved position on. Returns whether recordings in a storage were skipped. */
  const runSteps = async (row: Row): Promise<boolean> => {
    const progress = JSON.parse(row.progress) as Progress
    const skipsStorage = progress.skipsStorage === true || row.failures >= maxStorageFailures
    const scope = toScope(row, skipsStorage)
    let deleted = JSON.parse(row.deleted) as DeletedRows
    let { position } = progress
    const first = steps.findIndex(({ name }) => name === progress.step)
    for (const [number, step] of steps.entries()) {
      if (number < first) continue
      do {
        signal.throwIfAborted()
        const startedAt = monotonicMs()
        const result = await step.run(scope, position, signal)
        deleted = addRows(deleted, result.deleted)
        position = result.position
        // After the last step, it runs again if the process ends before the deletion is marked as finished.
        const next = position === undefined ? (steps[number + 1] ?? step) : step
        await update(row, {
          progress: JSON.stringify({ step: next.name, position, skipsStorage }),
          deleted: JSON.stringify(deleted),
          ...leases.extend(now()),
          ...(row.last_error === null ? {} : { failures: 0, last_error: null }),
        })
        const restMs = Math.min(Math.max(monotonicMs() - startedAt, pauseMs.min), maxPauseMs)
        if (position !== undefined) await pause(restMs, undefined, { signal })
      } while (position !== undefined)
    }
    return skipsStorage
  }

  const finish = async (row: Row, skipsStorage: boolean): Promise<void> => {
    const delayMs = row.before_at === null ? repeatAfterMs[row.runs] : undefined
    await update(row, {
      runs: row.runs + 1,
      finished_at: row.finished_at ?? now(),
      due_at: delayMs === undefined ? null : now() + delayMs,
      progress: '{}',
      ...noLease,
      failures: 0,
      last_error: skipsStorage ? skippedStorage : null,
    })
    await database.db
      .deleteFrom('patchbay_data_deletions')
      .where('due_at', 'is', null)
      .where('finished_at', '<', now() - listedMs)
      .execute()
  }

  const postpone = async (row: Row, error: unknown): Promise<void> => {
    if (error instanceof ClaimLostError) return
    if (signal.aborted) {
      await update(row, noLease)
      return
    }
    const { data_deletion_sid, failures } = row
    onBackgroundError(error, 'call data could not be deleted; retrying', { data_deletion_sid })
    await update(row, {
      failures: failures + 1,
      last_error: toReason(error),
      due_at: now() + exponentialBackoffMs(failures + 1, retry),
      ...noLease,
    })
  }

  return async () => {
    while (!signal.aborted) {
      const row = await claimDeletion(database, now())
      if (row === undefined) return
      try {
        await finish(row, await runSteps(row))
      } catch (error) {
        await postpone(row, error)
        if (error instanceof ClaimLostError) return
      }
    }
  }
}
