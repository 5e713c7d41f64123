import type { FieldChange, FieldValue } from '@patchbay/contract/bulk-changes'
import type { WatchedFields } from '../lib/caller.ts'

/** The values that a change gave to some fields of a record, by what it recorded for the audit trail. */

/** A change as stores record it for the audit trail (database/write-transaction.ts). */
interface RecordedChange {
  action: string
  kind: string
  before: object | null
  after: object | null
}

/** Another change has given a field another value than the one that was to be replaced. */
export class FieldsChangedError extends Error {}

/** A preview never commits. The transaction of its handler ends with this error. */
export class PreviewEndError extends Error {}

const toValue = (value: unknown): FieldValue => {
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'string' || typeof value === 'number' ? value : null
}

const readMember = (record: object | null, field: string): unknown =>
  (record as Readonly<Record<string, unknown>> | null)?.[field]

/**
 * Returns the watched fields whose values the change replaces.
 * @throws FieldsChangedError if a field did not have the expected value before
 */
export const findFieldChanges = (
  changes: readonly RecordedChange[],
  { kind, fields, expected = {} }: WatchedFields,
): FieldChange[] => {
  const change = changes.find((each) => each.kind === kind && each.action === 'update')
  for (const [field, value] of Object.entries(expected))
    if (toValue(readMember(change?.before ?? null, field)) !== value)
      throw new FieldsChangedError(`${field} has another value now`)
  if (change === undefined) return []
  return fields.flatMap((field) => {
    const value = readMember(change.after, field)
    // Stores name only what they set.
    if (value === undefined) return []
    const [before, after] = [toValue(readMember(change.before, field)), toValue(value)]
    return before === after ? [] : [{ field, before, after }]
  })
}
