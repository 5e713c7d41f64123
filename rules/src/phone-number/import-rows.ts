/** The rows of a file of phone numbers, and what an import does with them. */

/**
 * A row of the file. A member is undefined if the file does not have the column. Records are referenced by SID or by
 * name.
 */
export interface NumberRow {
  number: string
  carrier?: string | undefined
  account?: string | undefined
  /** Empty for no application. */
  application?: string | undefined
  /** True to confirm that the number is a pattern. */
  is_pattern?: boolean | undefined
  /** Line number in the file, for messages. Defaults to the position among the rows, starting at 1. */
  line?: number | undefined
}

/** A column in which a row can be wrong. */
export type Column = Exclude<keyof NumberRow, 'line' | 'is_pattern'>

interface Routed {
  number: string
  voip_carrier_sid: string | null
  account_sid: string
  application_sid: string | null
}

/** Says what the import does with a row. */
export type RowPlan =
  | ({ is: 'new'; is_pattern: boolean } & Routed)
  | ({ is: 'changed' | 'unchanged'; phone_number_sid: string } & Routed)
  | { is: 'wrong'; column: Column; why: string }
