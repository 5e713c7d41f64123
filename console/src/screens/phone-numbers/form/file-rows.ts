import { searchedNumber } from '@patchbay/rules/phone-number/searched-number'
import { describeSpreadsheetValue } from '@patchbay/rules/phone-number/spreadsheet-values'
import { formatCount } from '../../../ui/format/text.ts'
import type { CsvLine } from './csv.ts'
import { type Column, type FileColumn, type FileRead, type FileRow, maxRows, type RecordColumn } from './import-file.ts'
import { findNumberIndexes, isCodeHeader } from './number-headers.ts'

/** Reads the rows of an import file, with the names of columns that are accepted. */

/** Accepted names of each column. The first column with a value is used, so a SID takes precedence over a name. */
const headers = {
  carrier: ['voip_carrier_sid', 'carrier_sid', 'carrier', 'carrier_name', 'carrier name'],
  account: ['account_sid', 'account', 'account_name', 'account name'],
  application: ['application_sid', 'application', 'application_name', 'application name'],
} as const satisfies Record<RecordColumn, readonly string[]>

/** Columns of the export that the import does not use. */
const ignored = new Set(['phone_number_sid', 'service_provider_sid'])

const unreadable = (why: string): FileRead => ({ is: 'unreadable', why })

/** Returns the positions of a column's names. The number can have names of other programs. */
const findColumnIndexes = (names: readonly string[], column: Column): number[] =>
  column === 'number'
    ? findNumberIndexes(names)
    : headers[column].map((header) => names.indexOf(header)).filter((index) => index >= 0)

/** Cells are cut at the maximum length of a name. */
const maxCharacters = 255

const minDigitsOfNumber = 3
/** A column whose numbers all have fewer digits can contain the positions of the rows. */
const minDigitsOfLongNumber = 7
const countDigits = (cell: string | undefined): number => searchedNumber(cell ?? '')?.digits.length ?? 0
const hasNumber = (cell: string | undefined): boolean => countDigits(cell) >= minDigitsOfNumber

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

/** Returns whether a line consists of names, one of which is that of a column of numbers. */
const isHeader = (line: CsvLine): boolean => findNumberIndexes(toNames(line)).length > 0 && !line.cells.some(hasNumber)

/** Returns whether a line has a number in one of the columns. A date is none. */
const hasNumberIn = ({ cells }: CsvLine, indexes: readonly number[]): boolean =>
  indexes.some((index) => hasNumber(cells[index]) && describeSpreadsheetValue(cells[index] ?? '') === undefined)

/**
 * Returns how many lines are titles above the column names. Other values can be in them, such as an account or a date,
 * but no number in a column of numbers. Above names that are not known, titles have a single cell.
 */
const countTitles = (lines: readonly CsvLine[]): number => {
  const [first] = lines
  if (first === undefined || findNumberIndexes(toNames(first)).length > 0) return 0
  const head = lines.slice(0, maxTitleLines + 1)
  const at = head.findIndex(isHeader)
  const indexes = findNumberIndexes(toNames(head[at] ?? first))
  if (at > 0) return head.slice(0, at).some((line) => hasNumberIn(line, indexes)) ? 0 : at
  const countCells = ({ cells }: CsvLine) => cells.filter((cell) => cell.trim() !== '').length
  const table = head.findIndex((line) => countCells(line) > 1)
  return table > 0 && !head.slice(0, table).some((line) => hasNumberIn(line, [0])) ? table : 0
}

/** Removes columns of numbers that have only the positions of rows or other short numbers, if another one has long ones. */
const removePositions = (indexes: readonly number[], lines: readonly CsvLine[]): number[] => {
  const sample = lines.slice(0, sampleRows)
  const long = indexes.filter((index) => sample.some(({ cells }) => countDigits(cells[index]) >= minDigitsOfLongNumber))
  return long.length > 0 ? long : [...indexes]
}

/** Returns the columns of numbers that some rows do not use, because they take the number of a column before. */
const findUnusedNumbers = (indexes: readonly number[], lines: readonly CsvLine[]): ReadonlyMap<number, string> => {
  const isSet = (cells: readonly string[], index: number) => (cells[index]?.trim() ?? '') !== ''
  return new Map(
    indexes.flatMap((index, at): [number, string][] => {
      const before = indexes.slice(0, at)
      const rows = lines.filter(({ cells }) => isSet(cells, index))
      const unused = rows.filter(({ cells }) => before.some((other) => isSet(cells, other)))
      if (unused.length === 0) return []
      return [[index, unused.length < rows.length ? ' (in rows that have another number)' : '']]
    }),
  )
}

const getDigits = (cell: string | undefined): string => (cell ?? '').replace(/\D/g, '')

/** Returns whether a column has the code of a country or an area, such as 44 or +44, that a number beside it lacks. */
const isMissingCode = (name: string, index: number, lines: readonly CsvLine[], numberIndexes: readonly number[]) =>
  isCodeHeader(name) &&
  lines.some(({ cells }) => {
    const code = /^\+?\d{1,5}$/.test(cells[index] ?? '') ? getDigits(cells[index]) : ''
    const digits = getDigits(numberIndexes.map((at) => cells[at]).find(Boolean))
    return code !== '' && digits !== '' && !digits.includes(code)
  })

const tooManyCells =
  'This row has more cells than the file has columns. A cell that contains the separator has to be in quotation marks.'

/** Reads the rows of a file. `numberColumn` answers the question which column contains the numbers. */
export const readFileRows = (all: readonly CsvLine[], numberColumn?: number): FileRead => {
  const skipped = countTitles(all)
  const [first, ...rest] = all.slice(skipped)
  if (first === undefined) return unreadable('The file is empty.')
  if (first.error !== undefined) return unreadable(`Line ${first.line}: ${first.error}`)
  const names = toNames(first)
  const hasNames = findNumberIndexes(names).length > 0 || !first.cells.some(hasNumber)
  const lines = hasNames ? rest : [first, ...rest]
  const numberIndexes =
    numberColumn === undefined ? removePositions(findColumnIndexes(names, 'number'), lines) : [numberColumn]
  if (numberIndexes.length === 0 && first.cells.length === 1 && !hasNames) numberIndexes.push(0)
  if (numberIndexes.length === 0) {
    const columns = findNumberColumns(lines, hasNames ? first.cells : undefined)
    if (columns.length > 0) return { is: 'ambiguous', columns }
    return unreadable('The first line must name the columns, and one of them must be “number”.')
  }
  const columns = [
    { column: 'number' as const, indexes: numberIndexes },
    ...(Object.keys(headers) as RecordColumn[])
      .map((column) => ({ column, indexes: hasNames ? findColumnIndexes(names, column) : [] }))
      .filter(({ indexes }) => indexes.length > 0),
  ]
  if (lines.length === 0) return unreadable('The file contains only column names and no rows.')
  if (lines.length > maxRows)
    return unreadable(
      `The file contains ${formatCount(lines.length)} rows. At most ${formatCount(maxRows)} can be imported at once. Split the file.`,
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
  const unusedNumbers = findUnusedNumbers(numberIndexes, lines)
  const isUnused = (name: string, index: number): boolean =>
    name !== '' && (unusedNumbers.has(index) || (!read.has(index) && !ignored.has(name)))
  const getRemark = (name: string, index: number): string =>
    unusedNumbers.get(index) ??
    (isMissingCode(name, index, lines, numberIndexes) ? ' (which the numbers lack: join both in the file)' : '')
  const unused = hasNames
    ? names.flatMap((name, index) => (isUnused(name, index) ? [`${name}${getRemark(name, index)}`] : []))
    : []
  const isWorthMention = all.slice(0, skipped).some(({ cells }) => cells.some(hasNumber))
  return {
    is: 'read',
    rows,
    columns: columns.map(({ column }) => column),
    unused,
    ...(isWorthMention ? { skipped } : {}),
  }
}
