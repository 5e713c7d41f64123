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

/** A line break of an old Mac, or a quotation mark. */
const macBreakOrQuote = /\r(?!\n)|"/g
const unicodeBreak = /[\u0085\u2028\u2029]/g
const anyBreak = /\r\n?|[\n\u0085\u2028\u2029]/

/**
 * Replaces the line breaks of old Macs and, in a file without others, those of Unicode by \n. Cells in quotes keep
 * theirs, because they can be a part of a name.
 */
const unifyLineBreaks = (text: string): string => {
  let isQuoted = false
  const unified = text.replace(macBreakOrQuote, (sign) => {
    if (sign === '"') isQuoted = !isQuoted
    return sign === '"' || isQuoted ? sign : '\n'
  })
  return /[\r\n]/.test(unified) ? unified : unified.replace(unicodeBreak, '\n')
}

/** The first line of a file for Excel names the separator: sep=; */
const separatorLine = /^\ufeff?"?sep=([^"\n])"?[ \t]*(?:\r?\n|$)/i

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
  const text = unifyLineBreaks(file)
  const [head = '', separator] = separatorLine.exec(text) ?? []
  const csv = text.slice(head.length)
  const { data, errors } = parse(csv, separator ?? detectSeparator(csv))
  const malformed = new Set(errors.map(({ row }) => row))
  let nextLine = head === '' ? 1 : 2
  return data
    .map((cells, index): CsvLine => {
      const line = nextLine
      const lastLine = line + cells.join('').replace(/\r$/, '').split(anyBreak).length - 1
      nextLine = lastLine + 1
      return {
        line,
        cells: cells.map((cell) => removeFormulaGuards(cell).trim()),
        error: malformed.has(index) ? describeQuoteError(line, lastLine) : undefined,
      }
    })
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
}
