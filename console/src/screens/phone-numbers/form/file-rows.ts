import type { NumberRow } from '@patchbay/contract/phone-number/import'
import { numberDigits } from '@patchbay/contract/phone-number/format'
import type { CsvLine } from './csv.ts'

/** Reads the rows of an import file: accepted column names and size limits. */

export const maxRows = 50_000
export const maxBytes = 10_000_000

export interface FileRow extends NumberRow {
  line: number
  /** The reason why the row of the file is malformed. */
  error?: string | undefined
}

/** Accepted names of each column. The first column with a value is used, so a SID takes precedence over a name. */
const headers = {
  number: ['number', 'phone number', 'phone_number'],
  carrier: ['voip_carrier_sid', 'carrier_sid', 'carrier', 'carrier_name'],
  account: ['account_sid', 'account', 'account_name'],
  application: ['application_sid', 'application', 'application_name'],
} as const

/** Columns of the export that the import does not use. */
const ignored = new Set(['phone_number_sid', 'service_provider_sid'])

type Column = keyof typeof headers

export type FileRead =
  | { is: 'read'; rows: FileRow[]; columns: readonly Column[]; unknown: readonly string[] }
  | { is: 'unreadable'; why: string }

const unreadable = (why: string): FileRead => ({ is: 'unreadable', why })

const findColumnIndexes = (names: readonly string[], column: Column): number[] =>
  headers[column].map((header) => names.indexOf(header)).filter((index) => index >= 0)

/** Cells are cut at the maximum length of a name. */
const maxCharacters = 255

export const readFileRows = ([first, ...rest]: readonly CsvLine[]): FileRead => {
  if (first === undefined) return unreadable('The file is empty.')
  if (first.error !== undefined) return unreadable(`Line ${first.line}: ${first.error}`)
  const names = first.cells.map((cell) => cell.trim().toLowerCase())
  const columnIndexes = (Object.keys(headers) as Column[]).map((column) => ({
    column,
    indexes: findColumnIndexes(names, column),
  }))
  const isNumberList = first.cells.length === 1 && numberDigits(first.cells[0] ?? '') !== undefined
  const columns = isNumberList
    ? [{ column: 'number' as const, indexes: [0] }]
    : columnIndexes.filter(({ indexes }) => indexes.length > 0)
  if (!columns.some(({ column }) => column === 'number'))
    return unreadable('The first line must name the columns, and one of them must be “number”.')
  const lines = isNumberList ? [first, ...rest] : rest
  if (lines.length === 0) return unreadable('The file contains only column names and no rows.')
  if (lines.length > maxRows)
    return unreadable(
      `The file contains ${lines.length.toLocaleString('en')} rows. At most ${maxRows.toLocaleString('en')} can be imported at once. Split the file.`,
    )
  const rows = lines.map(({ line, cells, error }): FileRow => {
    const entries = columns.map(({ column, indexes }) => {
      const values = indexes.map((index) => cells[index]?.trim() ?? '')
      return [column, (values.find((cell) => cell !== '') ?? '').slice(0, maxCharacters)]
    })
    // Every row has the columns of the file, including the number.
    return { number: '', ...Object.fromEntries(entries), line, error }
  })
  const knownHeaders = new Set<string>(Object.values(headers).flat())
  const unknown = isNumberList
    ? []
    : names.filter((name) => name !== '' && !knownHeaders.has(name) && !ignored.has(name))
  return { is: 'read', rows, columns: columns.map(({ column }) => column), unknown }
}

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
