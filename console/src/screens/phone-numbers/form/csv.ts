import { removeFormulaGuards } from '@patchbay/contract/phone-number/csv'
import Papa from 'papaparse'

/** Parses CSV files of spreadsheets: RFC 4180, with commas, semicolons, or tabs as separators. */

const separators = [',', ';', '\t']

export interface CsvLine {
  /** Number of the row's first line, starting at 1, as in an editor. */
  line: number
  cells: string[]
  /** The reason why the row is malformed. */
  error: string | undefined
}

/** The \r of Windows line breaks is removed from the cells later, so that a file can mix both kinds of line breaks. */
const parse = (csv: string, delimiter: string, maxRows = 0) =>
  Papa.parse<string[]>(csv, { delimiter, newline: '\n', preview: maxRows })

/** Returns the separator that occurs most often in the first line, outside quotes. */
const detectSeparator = (csv: string): string => {
  const counts = separators.map((separator) => parse(csv, separator, 1).data[0]?.length ?? 0)
  return separators[counts.indexOf(Math.max(...counts))] ?? ','
}

const describeQuoteError = (firstLine: number, lastLine: number): string => {
  const reason = 'A quotation mark is not closed or not doubled.'
  return firstLine === lastLine ? reason : `${reason} Lines ${firstLine} to ${lastLine} were read as one row.`
}

/** Returns the rows that are not empty. A malformed row can include the lines after it. */
export const parseCsv = (csv: string): CsvLine[] => {
  const { data, errors } = parse(csv, detectSeparator(csv))
  const malformed = new Set(errors.map(({ row }) => row))
  let nextLine = 1
  return data
    .map((cells, index): CsvLine => {
      const line = nextLine
      const lastLine = line + cells.join('').split('\n').length - 1
      nextLine = lastLine + 1
      return {
        line,
        cells: cells.map((cell) => removeFormulaGuards(cell).trim()),
        error: malformed.has(index) ? describeQuoteError(line, lastLine) : undefined,
      }
    })
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
}
