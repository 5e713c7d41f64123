import type { NumberRow } from '@patchbay/rules/phone-number/import-rows'
import { searchedNumber } from '@patchbay/rules/phone-number/format'
import type { CsvLine } from './csv.ts'
import { findNumberIndexes } from './number-headers.ts'

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
  carrier: ['voip_carrier_sid', 'carrier_sid', 'carrier', 'carrier_name'],
  account: ['account_sid', 'account', 'account_name'],
  application: ['application_sid', 'application', 'application_name'],
} as const

/** Columns of the export that the import does not use. */
const ignored = new Set(['phone_number_sid', 'service_provider_sid'])

type Column = 'number' | keyof typeof headers

/** A column of a file, for the question which one contains the numbers. */
export interface FileColumn {
  index: number
  /** The name, or the first value if the file has no column names. */
  label: string
}

export type FileRead =
  | { is: 'read'; rows: FileRow[]; columns: readonly Column[]; unknown: readonly string[] }
  /** No column has a known name. */
  | { is: 'ambiguous'; columns: readonly FileColumn[] }
  | { is: 'unreadable'; why: string }

const unreadable = (why: string): FileRead => ({ is: 'unreadable', why })

/** Returns the positions of a column's names. The number can have names of other programs. */
const findColumnIndexes = (names: readonly string[], column: Column): number[] =>
  column === 'number'
    ? findNumberIndexes(names)
    : headers[column].map((header) => names.indexOf(header)).filter((index) => index >= 0)

/** Cells are cut at the maximum length of a name. */
const maxCharacters = 255

const minDigitsOfNumber = 3
const hasNumber = (cell: string | undefined): boolean =>
  (searchedNumber(cell ?? '')?.digits.length ?? 0) >= minDigitsOfNumber

/** Number of rows that show which columns can contain numbers. */
const sampleRows = 100

const findNumberColumns = (lines: readonly CsvLine[], names: readonly string[] | undefined): FileColumn[] => {
  const sample = lines.slice(0, sampleRows)
  const width = Math.max(...sample.map(({ cells }) => cells.length))
  return Array.from({ length: width }, (_, index) => index)
    .filter((index) => sample.some(({ cells }) => hasNumber(cells[index])))
    .map((index) => ({
      index,
      label: names?.[index] || `Column ${index + 1}: ${sample[0]?.cells[index]?.slice(0, maxCharacters) ?? ''}`,
    }))
}

const toNames = ({ cells }: CsvLine): string[] => cells.map((cell) => cell.trim().toLowerCase())

/** Number of lines above the column names: titles and comments. */
const maxTitleLines = 10

/** Returns the lines from the column names on. Titles above them contain no number. */
const skipTitles = (lines: readonly CsvLine[]): readonly CsvLine[] => {
  const at = lines
    .slice(0, maxTitleLines + 1)
    .findIndex((line) => line.cells.some(hasNumber) || findNumberIndexes(toNames(line)).length > 0)
  return at > 0 && findNumberIndexes(toNames(lines[at] as CsvLine)).length > 0 ? lines.slice(at) : lines
}

const tooManyCells =
  'This row has more cells than the file has columns. A cell that contains the separator has to be in quotation marks.'

/** Reads the rows of a file. `numberColumn` answers the question which column contains the numbers. */
export const readFileRows = (all: readonly CsvLine[], numberColumn?: number): FileRead => {
  const [first, ...rest] = numberColumn === undefined ? skipTitles(all) : all
  if (first === undefined) return unreadable('The file is empty.')
  if (first.error !== undefined) return unreadable(`Line ${first.line}: ${first.error}`)
  const names = toNames(first)
  const hasNames = findNumberIndexes(names).length > 0 || !first.cells.some(hasNumber)
  const lines = hasNames ? rest : [first, ...rest]
  const numberIndexes = numberColumn === undefined ? findColumnIndexes(names, 'number') : [numberColumn]
  if (numberIndexes.length === 0 && first.cells.length === 1 && !hasNames) numberIndexes.push(0)
  if (numberIndexes.length === 0) {
    const columns = findNumberColumns(lines, hasNames ? first.cells : undefined)
    if (columns.length > 0) return { is: 'ambiguous', columns }
    return unreadable('The first line must name the columns, and one of them must be “number”.')
  }
  const columns = [
    { column: 'number' as const, indexes: numberIndexes },
    ...(Object.keys(headers) as (keyof typeof headers)[])
      .map((column) => ({ column, indexes: hasNames ? findColumnIndexes(names, column) : [] }))
      .filter(({ indexes }) => indexes.length > 0),
  ]
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
    const isWider = hasNames && cells.slice(names.length).some((cell) => cell !== '')
    return { number: '', ...Object.fromEntries(entries), line, error: error ?? (isWider ? tooManyCells : undefined) }
  })
  const read = new Set(columns.flatMap(({ indexes }) => indexes))
  const unknown = hasNames ? names.filter((name, index) => name !== '' && !read.has(index) && !ignored.has(name)) : []
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
