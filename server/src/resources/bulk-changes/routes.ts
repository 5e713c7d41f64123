import { isAtLeast } from '@patchbay/contract/api/access'
import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import type { BulkChange, bulkChangeEndpoints, DryRunRequest, NewBulkChange } from '@patchbay/contract/bulk-changes'
import { maxImmediateRecords } from '@patchbay/contract/bulk-changes/bulk-change-limits'
import { cascadeOwners, findBulkKind, isCascadeOwner } from '@patchbay/contract/bulk-changes/kinds'
import { kindNoun } from '@patchbay/contract/shared/record-kinds'
import type { Handlers } from '../../http/contract-router.ts'
import { toValidationError } from '../../http/errors.ts'
import { ok } from '../../http/responses.ts'
import type { Caller } from '../../lib/caller.ts'
import type { Services } from '../services.ts'
import { createCascade } from './cascade.ts'
import { type BulkHandlers, createRecordChange } from './change-record.ts'
import { createDryRun } from './dry-run.ts'
import { createRecordRunner } from './run-records.ts'
import {
  type BulkChangeRow,
  cancelBulkChange,
  createBulkChange,
  listBulkChanges,
  readBulkChange,
  rootPosition,
  toPrincipalSid,
} from './store.ts'
import { createUndo } from './undo.ts'

/** The time after which the records of a request are changed in the background. */
const maxRequestMs = 5000

/** Checks that the kind has the operation, and the values as its endpoint does. */
const checkOperation = ({ kind, operation, values, sids }: NewBulkChange | DryRunRequest): void => {
  const { values: schema, remove } = findBulkKind(kind)
  if (operation !== 'update') {
    if (operation === 'delete' && remove === undefined)
      throwInvalid(`Records of the kind ${kindNoun(kind)} cannot be deleted in bulk`, 'kind')
    if (operation === 'delete_cascade' && !isCascadeOwner(kind))
      throwInvalid(`Records of the kind ${kindNoun(kind)} cannot be deleted with their contents`, 'kind')
    if (operation === 'delete_cascade' && sids.length > 1) throwInvalid('must contain one sid', 'sids')
    if (values !== undefined) throwInvalid('values must be absent for a deletion', 'values')
    return
  }
  if (schema === undefined)
    return throwInvalid(`Records of the kind ${kindNoun(kind)} cannot be updated in bulk`, 'kind')
  if (Object.keys(values ?? {}).length === 0) throwInvalid('values must contain at least one field', 'values')
  const parsed = schema.strict().safeParse(values, { reportInput: true })
  if (!parsed.success) throw toValidationError(parsed.error)
}

export const bulkChangeRoutes = (
  services: Services,
  handlers: BulkHandlers,
): Handlers<keyof typeof bulkChangeEndpoints> => {
  const { database, write } = services
  const runRecords = createRecordRunner(services, handlers)
  const dryRun = createDryRun(services, handlers)
  const { authorizeRecord } = createRecordChange(services, handlers)

  /** Changes the records of a bulk change that this process works on first, and returns the outcome or the progress. */
  const begin = async (actor: Caller, row: BulkChangeRow, signal: AbortSignal): Promise<BulkChange> => {
    const { claim } = row
    if (claim !== null) await runRecords({ ...row, claim }, maxRequestMs, signal)
    return readBulkChange(database.db, toPrincipalSid(actor), row.bulk_change_sid)
  }
  const cascade = createCascade(services)

  /**
   * Requests the deletion of an account or a service provider with its contents.
   * @throws ApiError for users and keys that would delete themselves with it
   */
  const deleteWithContents = async (actor: Caller, { kind, operation, sids: [requested = ''] }: NewBulkChange) => {
    // The kind is checked already.
    if (!isCascadeOwner(kind) || !isAtLeast(actor.scope, cascadeOwners[kind])) return throwApiError('forbidden')
    await authorizeRecord({ kind, operation: 'delete', values: {} }, requested, actor)
    const { sid, name, total } = await cascade.readOwner({ kind, sid: requested })
    const records = [{ position: rootPosition, record_sid: sid, name }]
    const change = { kind, operation, values: cascade.accountValues }
    return write(actor, (tx) => createBulkChange(tx, actor, change, { records, total }, false))
  }

  return {
    'POST /patchbay/bulk-changes': async ({ actor, body, signal }) => {
      checkOperation(body)
      if (body.operation === 'delete_cascade')
        return ok(await begin(actor, await deleteWithContents(actor, body), signal))
      const records = body.sids.map((record_sid, position) => ({ position, record_sid }))
      const isImmediate = records.length <= maxImmediateRecords
      const plan = { records, total: records.length }
      const row = await write(actor, (tx) => createBulkChange(tx, actor, body, plan, isImmediate))
      return ok(await begin(actor, row, signal))
    },

    'POST /patchbay/bulk-changes/dry-run': async ({ actor, body, signal }) => {
      checkOperation(body)
      return ok({ records: await dryRun(body, actor, signal) })
    },

    'GET /patchbay/bulk-changes': async ({ actor }) => ok(await listBulkChanges(database.db, toPrincipalSid(actor))),

    'GET /patchbay/bulk-changes/:bulk_change_sid': async ({ actor, params }) =>
      ok(await readBulkChange(database.db, toPrincipalSid(actor), params.bulk_change_sid)),

    'POST /patchbay/bulk-changes/:bulk_change_sid/cancel': ({ actor, params }) =>
      write(actor, (tx) => cancelBulkChange(tx, toPrincipalSid(actor), params.bulk_change_sid)),

    'POST /patchbay/bulk-changes/:bulk_change_sid/undo': async ({ actor, params, signal }) => {
      const row = await write(actor, (tx) => createUndo(tx, actor, params.bulk_change_sid))
      return ok(await begin(actor, row, signal))
    },
  }
}
