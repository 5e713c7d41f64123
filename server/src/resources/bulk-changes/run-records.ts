import type { Actor } from '@patchbay/contract/api/access'
import type { ApiError } from '@patchbay/contract/api/errors'
import type { BulkKindName } from '@patchbay/contract/bulk-changes/kinds'
import { bulkChangeLengths } from '@patchbay/contract/bulk-changes/record'
import { findPrincipals } from '../../auth/principals.ts'
import { BulkStepLostError, bulkLeases, storeBulkOutcome } from '../../database/bulk-steps.ts'
import { inTransaction } from '../../database/engine.ts'
import { toApiError } from '../../http/errors.ts'
import { exponentialBackoffMs } from '../../lib/backoff.ts'
import type { Caller } from '../../lib/caller.ts'
import { monotonicMs } from '../../lib/clock.ts'
import type { Services } from '../services.ts'
import { type BulkHandlers, createRecordChange, type RecordOperation, readRecordNames } from './change-record.ts'
import { type BulkChangeRow, toEnded } from './store.ts'

/** Works on bulk changes: changes their records one by one, each with the current rights of the user or API key that requested it. */

const recordsPerRead = 100
const retry = { firstMs: 1000, maxMs: 60_000 }
/** Failures of the server after which a record counts as failed. */
const maxFailures = 8

type Leased = BulkChangeRow & { claim: string }

const noAccess = 'This record does not exist, or you are not allowed to change it'
const isSelf = 'You cannot change your own user, or delete your own API key, in bulk'

/** Returns why the actor cannot change anything at present. */
const findStopReason = (actor: Actor | undefined): string | undefined => {
  if (actor === undefined) return 'The user or API key that requested it is no longer active'
  if (actor.is_view_only) return 'The user who requested it can only view now'
  if (actor.must_change_password) return 'The user who requested it must change the password first'
  return actor.is_suspended ? 'The account is suspended' : undefined
}

/** Returns whether an error says nothing about the record, so that another attempt can succeed. */
const isTransient = ({ status }: ApiError): boolean => status >= 500 || status === 429

export const createRecordRunner = (services: Services, handlers: BulkHandlers) => {
  const { database, onBackgroundError } = services
  const { authorizeRecord, changeRecord } = createRecordChange(services, handlers)

  const release = (row: Leased, due_at: number, failures: number) =>
    bulkLeases.release(database.db, row, { due_at, failures })

  const end = (row: Leased, ...outcome: Parameters<typeof toEnded>) =>
    bulkLeases.change(database.db, row, toEnded(...outcome))

  const toCaller = (row: Leased, actor: Actor, position: number): Caller => ({
    ...actor,
    sid: row.user_sid ?? row.api_key_sid,
    name: row.requested_by,
    address: row.address,
    request_id: row.request_id,
    bulkStep: { bulk_change_sid: row.bulk_change_sid, position, claim: row.claim },
  })

  /** Returns the name of a record to which the caller has access, and why it could not be changed. */
  const describeFailure = async (operation: RecordOperation, sid: string, caller: Caller, error: ApiError) => {
    try {
      await authorizeRecord(operation, sid, caller)
    } catch {
      return { name: null, reason: noAccess }
    }
    const names = await readRecordNames(database.db, operation.kind, [sid])
    return { name: names.get(sid)?.slice(0, 255) ?? null, reason: error.message.slice(0, bulkChangeLengths.reason) }
  }

  /** Changes a record, and stores the outcome. Throws what can be tried again. */
  const runRecord = async (
    row: Leased,
    actor: Actor,
    record: { position: number; sid: string },
    signal: AbortSignal,
  ) => {
    const { sid, position } = record
    const caller = toCaller(row, actor, position)
    const kind = row.kind as BulkKindName
    const operation = {
      kind,
      operation: row.operation as RecordOperation['operation'],
      values: JSON.parse(row.new_values) as unknown,
    }
    const step = caller.bulkStep
    if (step === undefined) throw new Error('The caller has no step')
    const fail = (outcome: { name: string | null; reason: string }) =>
      inTransaction(database, (trx) => storeBulkOutcome(trx, step, { status: 'failed', ...outcome }, Date.now()))
    if (sid.toLowerCase() === caller.sid?.toLowerCase()) return fail({ name: caller.name, reason: isSelf })
    try {
      await changeRecord(operation, sid, caller, signal)
    } catch (error) {
      if (error instanceof BulkStepLostError) throw error
      const apiError = toApiError(error)
      if (isTransient(apiError) && row.failures + 1 < maxFailures) throw error
      await fail(await describeFailure(operation, sid, caller, apiError))
    }
  }

  const readWaiting = (row: Leased) =>
    database.db
      .selectFrom('patchbay_bulk_change_records')
      .select(['position', 'record_sid as sid'])
      .where('bulk_change_sid', '=', row.bulk_change_sid)
      .where('status', '=', 'waiting')
      .orderBy('position')
      .limit(recordsPerRead)
      .execute()

  const readActor = async (row: Leased) => (await findPrincipals(database.db, [row]))(row)

  /** Changes records until all have an outcome or the time is over. */
  const runRecords = async (row: Leased, until: number, signal: AbortSignal): Promise<unknown> => {
    let position = -1
    for (;;) {
      const waiting = await readWaiting(row)
      const [next] = waiting
      if (next === undefined) return end(row, 'finished', Date.now())
      // Each handler writes once, and the outcome of a record is stored with it.
      if (next.position <= position) throw new Error('A handler has changed a record without a write')
      for (const record of waiting) {
        if (signal.aborted || monotonicMs() >= until) return release(row, Date.now(), row.failures)
        const actor = await readActor(row)
        const reason = findStopReason(actor)
        if (actor === undefined || reason !== undefined) return end(row, 'stopped', Date.now(), reason)
        await runRecord(row, actor, record, signal)
        row.failures = 0
        position = record.position
      }
    }
  }

  /**
   * Works on a bulk change that this process has leased, and ends the lease.
   * @param maxMs the time after which no further record is begun
   */
  return async (row: Leased, maxMs: number, signal: AbortSignal): Promise<void> => {
    try {
      await runRecords(row, monotonicMs() + maxMs, signal)
    } catch (error) {
      if (error instanceof BulkStepLostError) return
      onBackgroundError(error, 'a record of a bulk change could not be changed; retrying')
      const failures = row.failures + 1
      await release(row, Date.now() + exponentialBackoffMs(failures, retry), failures)
    }
  }
}

export type RecordRunner = ReturnType<typeof createRecordRunner>
