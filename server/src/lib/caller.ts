import type { Actor } from '@patchbay/contract/api/access'
import type { StoredRecord } from '@patchbay/contract/api/endpoint'
import type { FieldChange, FieldValue } from '@patchbay/contract/bulk-changes'
import type { CascadeOwnerKind } from '@patchbay/contract/bulk-changes/kinds'
import type { RecordKind } from '@patchbay/contract/shared/record-kinds'

/** The actor of a request, with the details that the audit trail records. */
export interface Caller extends Actor {
  /** SID of the user or the API key. */
  sid: string | null
  /** Name of the user, or the masked token of an API key. */
  name: string | null
  /** Client address, according to the trusted proxies. */
  address: string
  request_id: string
  /** SHA-256 of the reset link that identified the user. The caller can then only change the password. */
  reset_link?: string
  /** Says what the stored record has to be for this request's write. */
  condition?: WriteCondition
  /** The record of a bulk change that is changed for this caller. */
  bulkStep?: BulkStep
  /** Finds out what the write of this caller would change. Its transaction is rolled back. */
  preview?: Preview
}

/** Fields of the record that a caller changes. */
export interface WatchedFields {
  readonly kind: RecordKind
  readonly fields: readonly string[]
  /** The values that the fields must have before the change. */
  readonly expected?: Readonly<Record<string, FieldValue>>
}

export interface Preview {
  readonly watched: WatchedFields
  /** The values that the write would replace. Absent until it would have succeeded. */
  changes?: readonly FieldChange[]
}

/**
 * A record of a bulk change. The transaction that changes the record also stores that it is done
 * (database/bulk-steps.ts), so that it is changed once, whenever a process ends.
 */
export interface BulkStep {
  readonly bulk_change_sid: string
  readonly position: number
  /** The lease of the process that changes it. */
  readonly claim: string
  /** The row that says whether the record still belongs to the owner with which it is deleted. */
  readonly member?: BulkMember
  /** The fields whose previous values are stored, so that the change can be undone. */
  readonly watched?: WatchedFields
}

/** An account or a service provider to which records belong. */
export interface RecordOwner {
  readonly kind: CascadeOwnerKind
  readonly sid: string
}

/** A row of a record, and its owner. */
export interface BulkMember {
  readonly table: string
  readonly key: string
  readonly sid: string
  readonly owner: RecordOwner
}

/**
 * The condition of a request for its write (`If-Match`). The first transaction of the request checks it
 * (database/write-transaction.ts).
 */
export interface WriteCondition {
  readonly stored: StoredRecord
  readonly sid: string
  /** Entity tags, or `*` for any version. */
  readonly versions: readonly string[]
  /** The version that the request has written. Absent until a transaction has been committed. */
  newVersion?: string
}
