import type { ApiErrorCode } from '../api/errors.ts'

/**
 * Declares to what a column refers, and what happens to the row when the other record is deleted:
 * - `block`: the other record cannot be deleted
 * - `cascade`: Patchbay deletes the row first
 * - `database`: the foreign key deletes the row
 * - `clear`: Patchbay clears the column first, because it deletes both rows
 */
export interface Reference {
  /** Name of the other table. The column contains its key. */
  to: string
  onDelete: 'block' | 'cascade' | 'database' | 'clear'
  /** True if the database has no foreign key for the column. */
  withoutForeignKey?: true
  /** True if users and keys of an account cannot delete it while it has such records, although these would cascade. */
  blocksMembers?: true
  /** End of the error message about a blocked deletion, such as `with phone numbers`. */
  reason?: string
  /** Error of a blocked deletion, if a store of the other table does not throw one. */
  errorCode?: ApiErrorCode
  /** Name of such records in the API, if it differs from that of their table. */
  as?: string
  /** Columns that lead to the record which users know. The API names that record instead. */
  through?: readonly string[]
  /** Position among the references that block the deletion of a record, in error messages and in the API. */
  position?: number
}

/** A table with rows that are a part of a record. */
export interface RecordPart {
  table: string
  /** The primary key, if the record refers to the rows. Absent if the rows refer to the record, or to one of its parts. */
  key?: string
}

/** A table and the records to which its rows refer. */
export interface DependentTable {
  table: string
  /** The primary key. Absent if other records cannot refer to the rows. */
  key?: string
  /** True if some installations of the platform lack the table. */
  isOptional?: true
  /** Columns that refer to other records. */
  references: Readonly<Record<string, Reference>>
  /** Other tables whose rows are a part of the record, such as the gateways of a carrier. Its version covers them. */
  parts?: readonly RecordPart[]
  /** Columns that change on their own, such as the result of the last test. The version does not cover them. */
  live?: readonly string[]
}

/** A table of records that users know. */
export interface RecordTable extends DependentTable {
  key: string
  /** Column that names a record. */
  name?: string
  /** True if the name is a secret, of which the API shows the end. Such records are sorted by age. */
  isNameSecret?: true
  /** Name of the records in the API, if it differs from that of the table. */
  plural?: string
}
