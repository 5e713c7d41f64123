import type { NumberRow, RowPlan } from '@patchbay/rules/phone-number/import-rows'

/** The parts of an import file, its size limits, and defaults. Reading a file loads further modules. */

export const maxRows = 50_000
export const maxBytes = 10_000_000

export interface FileRow extends NumberRow {
  line: number
  /** The reason why the row of the file is malformed. */
  error?: string | undefined
}

/** A row with what its import would do, or has done. */
export interface CheckedRow {
  row: FileRow
  plan: RowPlan
  /** Set after the import: `done`, or the reason why it failed. */
  outcome: string | undefined
}

type NewPattern = Extract<RowPlan, { is: 'new' }>

/** Returns whether the row adds a pattern, which the user has to select to confirm it. */
export const isNewPattern = (row: Pick<CheckedRow, 'plan'>): row is { plan: NewPattern } =>
  row.plan.is === 'new' && row.plan.is_pattern

/** Columns that reference records. */
export type RecordColumn = 'carrier' | 'account' | 'application'

export type Column = 'number' | RecordColumn

/** A column of a file, for the question which one contains the numbers. */
export interface FileColumn {
  index: number
  /** The name, or the first value if the file has no column names. */
  label: string
}

export type FileRead =
  | {
      is: 'read'
      rows: FileRow[]
      columns: readonly Column[]
      /** Columns that the import does not use, and columns of numbers that it does not use in each row. */
      unused: readonly string[]
      /** Number of lines above the column names, if one contains digits that could be a number. */
      skipped?: number
    }
  /** No column has a known name. */
  | { is: 'ambiguous'; columns: readonly FileColumn[] }
  | { is: 'unreadable'; why: string }

/** Values for rows that do not specify an account or a carrier. */
export interface Defaults {
  account_sid: string
  voip_carrier_sid: string
}

export const withDefaults = (row: FileRow, { account_sid, voip_carrier_sid }: Defaults): FileRow => ({
  ...row,
  account: row.account || account_sid || undefined,
  carrier: row.carrier || voip_carrier_sid || undefined,
})
