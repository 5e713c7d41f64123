import { throwInvalid } from '@patchbay/contract/api/errors'
import type { bulkChangeEndpoints, NewBulkChange } from '@patchbay/contract/bulk-changes'
import { maxImmediateRecords } from '@patchbay/contract/bulk-changes/bulk-change-limits'
import { type BulkKindName, findBulkKind } from '@patchbay/contract/bulk-changes/kinds'
import { isRecordKind, recordNoun } from '@patchbay/contract/shared/record-kinds'
import type { Handlers } from '../../http/contract-router.ts'
import { toValidationError } from '../../http/errors.ts'
import { ok } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import type { BulkHandlers } from './change-record.ts'
import { createDryRun } from './dry-run.ts'
import { createRecordRunner } from './run-records.ts'
import { cancelBulkChange, createBulkChange, listBulkChanges, readBulkChange, toPrincipalSid } from './store.ts'

/** The time after which the records of a request are changed in the background. */
const maxRequestMs = 5000

const describe = (kind: BulkKindName): string => (isRecordKind(kind) ? recordNoun(kind) : kind)

/** Checks that the kind has the operation, and the values as its endpoint does. */
const checkOperation = ({ kind, operation, values }: NewBulkChange): void => {
  const { values: schema, remove } = findBulkKind(kind)
  if (operation === 'delete') {
    if (remove === undefined) throwInvalid(`Records of the kind ${describe(kind)} cannot be deleted in bulk`, 'kind')
    if (values !== undefined) throwInvalid('values must be absent for a deletion', 'values')
    return
  }
  if (schema === undefined)
    return throwInvalid(`Records of the kind ${describe(kind)} cannot be updated in bulk`, 'kind')
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
  return {
    'POST /patchbay/bulk-changes': async ({ actor, body, signal }) => {
      checkOperation(body)
      const principal = toPrincipalSid(actor)
      const isImmediate = body.sids.length <= maxImmediateRecords
      const row = await write(actor, (tx) => createBulkChange(tx, actor, body, isImmediate))
      const { claim } = row
      if (claim !== null) await runRecords({ ...row, claim }, maxRequestMs, signal)
      return ok(await readBulkChange(database.db, principal, row.bulk_change_sid))
    },

    'POST /patchbay/bulk-changes/dry-run': async ({ actor, body: { kind, sids } }) => {
      if (findBulkKind(kind).remove === undefined)
        throwInvalid(`Records of the kind ${describe(kind)} cannot be deleted in bulk`, 'kind')
      return ok({ records: await dryRun(kind, sids, actor) })
    },

    'GET /patchbay/bulk-changes': async ({ actor }) => ok(await listBulkChanges(database.db, toPrincipalSid(actor))),

    'GET /patchbay/bulk-changes/:bulk_change_sid': async ({ actor, params }) =>
      ok(await readBulkChange(database.db, toPrincipalSid(actor), params.bulk_change_sid)),

    'POST /patchbay/bulk-changes/:bulk_change_sid/cancel': ({ actor, params }) =>
      write(actor, (tx) => cancelBulkChange(tx, toPrincipalSid(actor), params.bulk_change_sid)),
  }
}
