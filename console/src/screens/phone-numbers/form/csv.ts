import { removeFormulaGuards } from '@patchbay/rules/phone-number/csv'
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
  const unified = text.replace(macBreakOrQuote, (sign, at: number) => {
    if (sign === '"') {
      // Within a cell without quotes it is an inch sign, for example.
      const isInWord = !isQuoted && /[\p{L}\d]/u.test(text[at - 1] ?? '')
      if (!isInWord) isQuoted = !isQuoted
    }
    return sign === '"' || isQuoted ? sign : '\n'
  })
  return /[\r\n]/.test(unified) ? unified : unified.replace(unicodeBreak, '\n')
}

/** The first line of a file for Excel names the separator: sep=; Programs that know no such line add empty cells. */
const separatorLine = /^\ufeff?"?sep[ ]*=[ ]?([^"\n])"?[ \t,;|]*(?:\r?\n|$)/i

const parse = (csv: string, delimiter: string, maxRows = 0) =>
  Papa.parse<string[]>(csv, { delimiter, newline: '\n', preview: maxRows })

/** Number of rows that show the separator of a file. Its first rows can be a title or a comment. */
const sampleRows = 30

/** Returns how many rows have the most frequent number of cells, and this number. */
const countAlikeRows = (csv: string, separator: string): { rows: number; width: number } => {
  const counts = new Map<number, number>()
  for (const { length } of parse(csv, separator, sampleRows).data)
    if (length > 1) counts.set(length, (counts.get(length) ?? 0) + 1)
  let most = { rows: 0, width: 1 }
  for (const [width, rows] of counts)
    if (rows > most.rows || (rows === most.rows && width > most.width)) most = { rows, width }
  return most
}

/** Returns the separator that divides most rows into the same number of cells, outside quotes. */
const detectSeparator = (csv: string): string => {
  const [best] = separators
    .map((separator) => ({ separator, ...countAlikeRows(csv, separator) }))
    .toSorted((one, other) => other.rows - one.rows || other.width - one.width)
  return best?.separator ?? ','
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
