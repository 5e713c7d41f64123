import { csvLine, csvMark } from '@patchbay/rules/phone-number/csv'
import { saveFile } from './save-file.ts'

/** Tables for spreadsheets. */

export interface CsvColumn<Row> {
  header: string
  value: (row: Row) => unknown
}

/** Returns a table as CSV (RFC 4180) with a header. Cells that a spreadsheet would run as formulas are escaped. */
export const toCsv = <Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string =>
  [columns.map(({ header }) => header), ...rows.map((row) => columns.map(({ value }) => value(row)))]
    .map(csvLine)
    .join('')

/** Saves a table to a file: a text, or a file that the server created. */
export const downloadCsv = (name: string, csv: string | Blob): void =>
  saveFile(name, typeof csv === 'string' ? new Blob([csvMark, csv], { type: 'text/csv;charset=utf-8' }) : csv)
