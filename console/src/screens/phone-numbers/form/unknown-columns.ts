import type { RowPlan } from '@patchbay/rules/phone-number/import-rows'
import type { FileRow, RecordColumn } from './import-file.ts'

/**
 * Finds columns whose records Patchbay does not have. Exports of providers have columns of these names too, which name
 * the account at the provider.
 */

/** The columns in the order in which an import reads them. A row is rejected for the first one that is wrong. */
const recordColumns = ['account', 'carrier', 'application'] as const satisfies readonly RecordColumn[]

interface PlannedRow {
  row: FileRow
  plan: RowPlan
}

/**
 * Returns the column that no row with a valid number can use, because none of its values is a known record. Returns
 * undefined if there is none.
 */
export const findUnknownColumn = (rows: readonly PlannedRow[]): RecordColumn | undefined => {
  const readable = rows.filter(({ plan }) => plan.is !== 'wrong' || plan.column !== 'number')
  return recordColumns.find((column) => {
    const withValue = readable.filter(({ row }) => (row[column] ?? '') !== '')
    return (
      withValue.length > 0 &&
      withValue.every(
        ({ plan }) => plan.is === 'wrong' && plan.column === column && plan.why.startsWith('There is no such'),
      )
    )
  })
}

/** Returns the row without the values of a column. */
export const withoutColumns = (row: FileRow, columns: ReadonlySet<RecordColumn>): FileRow => {
  const rest = { ...row }
  for (const column of columns) delete rest[column]
  return rest
}
