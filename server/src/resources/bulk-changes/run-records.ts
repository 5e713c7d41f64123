import { type Actor, isAtLeast } from '@patchbay/contract/api/access'
import type { ApiError } from '@patchbay/contract/api/errors'
import type { FieldChange } from '@patchbay/contract/bulk-changes'
import {
  type BulkKindName,
  type CascadeOwnerKind,
  cascadeOwners,
  isCascadeOwner,
} from '@patchbay/contract/bulk-changes/kinds'
import { bulkChangeLengths } from '@patchbay/contract/bulk-changes/record'
import type { Selectable } from 'kysely'
import { findPrincipals } from '../../auth/principals.ts'
import { BulkStepLostError, bulkLeases, selectMember, storeBulkOutcome } from '../../database/bulk-steps.ts'
import { inTransaction } from '../../database/engine.ts'
import { FieldsChangedError } from '../../database/field-changes.ts'
import type { Tables } from '../../database/tables.ts'
import { toApiError } from '../../http/errors.ts'
import { exponentialBackoffMs } from '../../lib/backoff.ts'
import type { BulkStep, Caller, RecordOwner } from '../../lib/caller.ts'
import { monotonicMs } from '../../lib/clock.ts'
import type { Services } from '../services.ts'
import { createCascade, toMember } from './cascade.ts'
import {
  type BulkHandlers,
  createRecordChange,
  type RecordOperation,
  readRecordNames,
  watchFields,
} from './change-record.ts'
import { type BulkChangeRow, rootPosition, toEnded } from './store.ts'

/** Works on bulk changes: changes their records one by one, each with the current rights of the user or API key that requested it. */

const recordsPerRead = 100
const retry = { firstMs: 1000, maxMs: 60_000 }
/** Failures of the server after which a record counts as failed. */
const maxFailures = 8

type Leased = BulkChangeRow & { claim: string }

const noAccess = 'This record does not exist, or you are not allowed to change it'
const cascadeStopReasons = {
  account: 'The user or API key that requested it belongs to an account now',
  service_provider: 'The user or API key that requested it belongs to a tenant now',
} as const satisfies Record<CascadeOwnerKind, string>
const changedSince = 'It was changed again since, and keeps its present values'
export const isSelf = 'You cannot change your own user, or delete your own API key, in bulk'

/** A record that waits, with its kind and operation if they are not those of the bulk change. */
interface WaitingRecord
  extends Pick<Selectable<Tables['patchbay_bulk_change_records']>, 'position' | 'record_sid' | 'kind' | 'operation'> {
  /** JSON of the values to restore, if the bulk change undoes another. */
  replaced: string | null
}

/** Returns the new values of a record, and those that it must have before, if a bulk change restores them. */
const toValues = ({ new_values }: Leased, { replaced }: WaitingRecord) => {
  if (replaced === null) return { values: JSON.parse(new_values) as unknown }
  const changes = JSON.parse(replaced) as readonly FieldChange[]
  return {
    values: Object.fromEntries(changes.map(({ field, before }) => [field, before])),
    expected: Object.fromEntries(changes.map(({ field, after }) => [field, after])),
  }
}

/** Returns why the actor cannot change anything at present. */
const findStopReason = ({ operation, kind }: Leased, actor: Actor | undefined): string | undefined => {
  if (actor === undefined) return 'The user or API key that requested it is no longer active'
  if (actor.is_view_only) return 'The user who requested it can only view now'
  if (operation === 'delete_cascade' && isCascadeOwner(kind) && !isAtLeast(actor.scope, cascadeOwners[kind]))
    return cascadeStopReasons[kind]
  if (actor.must_change_password) return 'The user who requested it must change the password first'
  return actor.is_suspended ? 'The account is suspended' : undefined
}

/** Returns whether an error says nothing about the record, so that another attempt can succeed. */
const isTransient = ({ status, retryAfter }: ApiError): boolean =>
  status >= 500 || status === 429 || retryAfter !== undefined

export const createRecordRunner = (services: Services, handlers: BulkHandlers, cascade = createCascade(services)) => {
  const { database, onBackgroundError } = services
  const { authorizeRecord, changeRecord } = createRecordChange(services, handlers)

  const release = (row: Leased, due_at: number, failures: number) =>
    bulkLeases.release(database.db, row, { due_at, failures })

  const end = (row: Leased, ...outcome: Parameters<typeof toEnded>) =>
    bulkLeases.change(database.db, row, toEnded(...outcome))

  const toCaller = (row: Leased, actor: Actor, details: Pick<BulkStep, 'position' | 'member' | 'watched'>): Caller => ({
    ...actor,
    sid: row.user_sid ?? row.api_key_sid,
    name: row.requested_by,
    address: row.address,
    request_id: row.request_id,
    bulkStep: { bulk_change_sid: row.bulk_change_sid, claim: row.claim, ...details },
  })

  /** Returns the name of a record to which the caller has access, and why it could not be changed. */
  const describeFailure = async (operation: RecordOperation, sid: string, caller: Caller, reason: string) => {
    try {
      await authorizeRecord(operation, sid, caller)
    } catch {
      return { name: null, reason: noAccess }
    }
    const names = await readRecordNames(database.db, operation.kind, [sid])
    return { name: names.get(sid)?.slice(0, 255) ?? null, reason: reason.slice(0, bulkChangeLengths.reason) }
  }

  /** Changes a record, and stores the outcome. Throws what can be tried again. */
  const runRecord = async (
    row: Leased,
    actor: Actor,
    record: WaitingRecord,
    root: RecordOwner | undefined,
    signal: AbortSignal,
  ) => {
    const { record_sid: sid, position } = record
    const kind = (record.kind ?? row.kind) as BulkKindName
    const member = root && toMember(kind, sid, root)
    const { values, expected } = toValues(row, record)
    const caller = toCaller(row, actor, {
      position,
      ...(member && { member }),
      ...(row.operation === 'update' && { watched: watchFields(kind, expected) }),
    })
    const operation: RecordOperation = {
      kind,
      operation: (record.operation ?? row.operation) === 'update' ? 'update' : 'delete',
      values,
      owner: root,
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
      if (member !== undefined && (await selectMember(database.db, member).executeTakeFirst()) === undefined)
        return inTransaction(database, (trx) => storeBulkOutcome(trx, step, { status: 'skipped' }, Date.now()))
      if (error instanceof FieldsChangedError) return fail(await describeFailure(operation, sid, caller, changedSince))
      const apiError = toApiError(error)
      if (isTransient(apiError) && row.failures + 1 < maxFailures) throw error
      await fail(await describeFailure(operation, sid, caller, apiError.message))
    }
  }

  const readWaiting = (row: Leased) =>
    database.db
      .selectFrom('patchbay_bulk_change_records as record')
      .leftJoin('patchbay_bulk_change_records as undone', (join) =>
        join.on('undone.bulk_change_sid', '=', row.undoes_sid ?? '').onRef('undone.position', '=', 'record.position'),
      )
      .select(['record.position', 'record.record_sid', 'record.kind', 'record.operation'])
      .select('undone.changed_values as replaced')
      .where('record.bulk_change_sid', '=', row.bulk_change_sid)
      .where('record.status', '=', 'waiting')
      .orderBy('record.position')
      .limit(recordsPerRead)
      .execute()

  /** Returns the record that is deleted after its contents, if the bulk change deletes one. */
  const readRoot = async ({ bulk_change_sid, kind }: Leased): Promise<RecordOwner | undefined> => {
    const root = await database.db
      .selectFrom('patchbay_bulk_change_records')
      .select('record_sid')
      .where('bulk_change_sid', '=', bulk_change_sid)
      .where('position', '=', rootPosition)
      .executeTakeFirst()
    return root && isCascadeOwner(kind) ? { kind, sid: root.record_sid } : undefined
  }

  const readActor = async (row: Leased) => (await findPrincipals(database.db, [row]))(row)

  /** Changes records until all have an outcome or the time is over. */
  const runRecords = async (row: Leased, until: number, signal: AbortSignal): Promise<unknown> => {
    const root = await readRoot(row)
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
        const reason = findStopReason(row, actor)
        if (actor === undefined || reason !== undefined) return end(row, 'stopped', Date.now(), reason)
        if (root && record.position === rootPosition && (await cascade.planNext(row, root))) break
        await runRecord(row, actor, record, root, signal)
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
