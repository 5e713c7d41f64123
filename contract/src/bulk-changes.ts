import { z } from 'zod'
import { type Descriptions, endpoints } from './api/endpoint.ts'
import { instant, sid } from './api/values.ts'
import { maxBulkRecords, maxDryRunRecords } from './bulk-changes/bulk-change-limits.ts'
import { bulkKindNames } from './bulk-changes/kinds.ts'

/**
 * Bulk changes: the same update, or the deletion, of several records of a kind. A Patchbay extension. Each record is
 * changed by the endpoint of its kind, with the rights of the user or API key that requested it.
 */

const kind = z.enum(bulkKindNames, { error: `must be one of ${bulkKindNames.join(', ')}` })

/** Returns the schema of a list of different SIDs. A longer list is rejected as a whole. */
const sids = (max: number) =>
  z
    .array(sid, { error: 'must be a list of sids' })
    .min(1, { error: 'must contain at least one sid' })
    .max(max, { error: `must contain at most ${max} sids` })
    .transform((list) => [...new Set(list)])

/** `delete_cascade` deletes a record after its contents. */
const operations = ['update', 'delete', 'delete_cascade'] as const
const dryRunOperations = ['update', 'delete'] as const

/** The new values, for an update. Which fields there are depends on the kind. */
const values = z.record(z.string(), z.unknown(), { error: 'must be an object' }).optional()

const newBulkChange = z.strictObject({
  kind,
  operation: z.enum(operations, { error: `must be one of ${operations.join(', ')}` }),
  values,
  sids: sids(maxBulkRecords),
})
export type NewBulkChange = z.output<typeof newBulkChange>

/** A value of a field that can be changed in bulk. Fields that are on or off are 1 or 0. */
const fieldValue = z.union([z.string(), z.number(), z.null()])
export type FieldValue = z.infer<typeof fieldValue>

const fieldChange = z.object({ field: z.string(), before: fieldValue, after: fieldValue })
export type FieldChange = z.infer<typeof fieldChange>

const failedRecord = z.object({
  kind: z.string(),
  sid: z.string(),
  /** Null if the record has no name, or if the caller has no access to it. */
  name: z.string().nullable(),
  reason: z.string(),
})

const listedBulkChange = z.object({
  bulk_change_sid: z.string(),
  kind: z.string(),
  operation: z.enum(operations),
  /** Name of the record that is deleted with its contents. */
  name: z.string().nullable(),
  /** `stopped` if the user or API key lost its rights. The other records are then not changed. */
  status: z.enum(['running', 'finished', 'canceled', 'stopped']),
  stop_reason: z.string().nullable(),
  total: z.number(),
  done: z.number(),
  failed: z.number(),
  requested_at: instant,
  finished_at: instant.nullable(),
  /** The bulk change that this one undoes. */
  undoes: z.string().nullable(),
  /** Number of seconds for which it can be undone, or 0. */
  undo_seconds: z.number(),
})
export type ListedBulkChange = z.infer<typeof listedBulkChange>

const bulkChange = listedBulkChange.extend({ failures: z.array(failedRecord) })
export type BulkChange = z.infer<typeof bulkChange>

const counted = z.array(z.object({ name: z.string(), total: z.number() }))

const dryRunRecord = z.object({
  sid: z.string(),
  name: z.string().nullable(),
  /** Why the record cannot be changed or deleted at present, or null. */
  reason: z.string().nullable(),
  blocked_by: counted,
  /** Records that use this one, and lose it. */
  used_by: counted,
  deletes: counted,
  /** The fields whose values an update would replace. */
  changes: z.array(fieldChange),
})
export type DryRunRecord = z.infer<typeof dryRunRecord>

const dryRunRequest = z.strictObject({
  kind,
  operation: z.enum(dryRunOperations, { error: `must be one of ${dryRunOperations.join(', ')}` }).default('delete'),
  values,
  sids: sids(maxDryRunRecords),
})
export type DryRunRequest = z.output<typeof dryRunRequest>

const own = { minScope: 'account', owner: 'self', errorCode: 'forbidden' } as const

export const bulkChangeEndpoints = endpoints({
  'POST /patchbay/bulk-changes': {
    summary:
      'Update or delete up to 10,000 records of a kind, one by one, or an account or a service provider with its contents; more than 100, and contents, are changed in the background',
    access: own,
    body: newBulkChange,
    bodyLimit: 512 * 1024,
    responses: { 200: bulkChange },
  },
  'POST /patchbay/bulk-changes/dry-run': {
    summary:
      'Check which records can be updated or deleted, why others cannot, what changes, and what is deleted with a record',
    access: own,
    body: dryRunRequest,
    responses: { 200: z.object({ records: z.array(dryRunRecord) }) },
  },
  'GET /patchbay/bulk-changes': {
    summary: 'List the last 20 bulk changes of the caller, newest first; finished ones are kept for a week',
    access: own,
    responses: { 200: z.array(listedBulkChange) },
  },
  'GET /patchbay/bulk-changes/:bulk_change_sid': {
    summary: 'Get the progress of a bulk change of the caller, and the first 200 records that failed',
    access: own,
    lenientSids: true,
    responses: { 200: bulkChange },
  },
  'POST /patchbay/bulk-changes/:bulk_change_sid/cancel': {
    summary: 'Cancel a running bulk change of the caller; records that are changed already stay changed',
    access: own,
    lenientSids: true,
    responses: { 204: null },
  },
  'POST /patchbay/bulk-changes/:bulk_change_sid/undo': {
    summary:
      'Restore the values that an update of the caller replaced, within a minute after its end, except in records that have changed since',
    access: own,
    lenientSids: true,
    responses: { 200: bulkChange },
  },
})

/** Descriptions of fields for the API documentation. */
export const bulkChangeDescriptions: Descriptions = {
  after: 'New value.',
  before: 'Present value.',
  blocked_by: 'Records that refer to this one and block its deletion, by kind.',
  bulk_change_sid: 'SID of the bulk change.',
  changes: 'The fields whose values an update would replace.',
  deletes: 'Records that are deleted with this one, by kind.',
  done: 'Number of records that were changed.',
  failed: 'Number of records that could not be changed.',
  failures: 'The first 200 records that could not be changed, with the reasons.',
  field: 'Name of the field.',
  finished_at: 'Time at which the bulk change ended (ISO 8601).',
  kind: 'Kind of the records.',
  name: 'Name of the record, of the account or service provider that is deleted with its contents, or of the kind of records that is counted.',
  operation: 'update, delete, or delete_cascade, which deletes one account or service provider after its contents.',
  reason: 'Why the record cannot be changed.',
  records: 'The records in the order of the request.',
  requested_at: 'Time of the request (ISO 8601).',
  sids: 'SIDs of the records.',
  status: 'running, finished, canceled, or stopped.',
  stop_reason: 'Why the bulk change was stopped.',
  total: 'Number of records.',
  undo_seconds: 'Number of seconds for which the update can be undone, or 0.',
  undoes: 'SID of the bulk change that this one undoes.',
  used_by: 'Records that use this one, and lose it, by kind.',
  values: 'New values of the fields, for an update.',
}
