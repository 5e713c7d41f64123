import { removeFormulaGuards } from '@patchbay/contract/phone-number/csv'
import Papa from 'papaparse'

/** Parses CSV files of spreadsheets: RFC 4180, with commas, semicolons, tabs, or vertical bars as separators. */

const separators = [',', ';', '\t', '|']

export interface CsvLine {
  /** Number of the row's first line, starting at 1, as in an editor. */
  line: number
  cells: string[]
  /** The reason why the row is malformed. */
  error: string | undefined
}

/** Line breaks of Windows, of old Macs, and of Unicode. A file can mix them. */
const lineBreak = /\r\n?|[\u0085\u2028\u2029]/g

/** The first line of a file for Excel names the separator: sep=; */
const separatorLine = /^\ufeff?"?sep=([^"\n])"?[ \t]*(?:\n|$)/i

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
export const parseCsv = (file: string): CsvLine[] => {
  const text = file.replace(lineBreak, '\n')
  const [head = '', separator] = separatorLine.exec(text) ?? []
  const csv = text.slice(head.length)
  const { data, errors } = parse(csv, separator ?? detectSeparator(csv))
  const malformed = new Set(errors.map(({ row }) => row))
  let nextLine = head === '' ? 1 : 2
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
