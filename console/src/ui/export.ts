import { saveFile } from './save-file.ts'

/** What leaves the console for a shell, a script or a spreadsheet. */

export interface CsvColumn<Row> {
  header: string
  value: (row: Row) => unknown
}

/** A word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** A command that makes a request from a POSIX shell. The token is a variable there, and never in the text. */
export const curlOf = ({ method, url, body }: { method: string; url: string; body?: unknown }): string =>
  [
    // curl would take brackets in an address for a range of addresses.
    `curl${/[[\]{}]/.test(url) ? ' -g' : ''}${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url)}`,
    '-H "Authorization: Bearer $PATCHBAY_TOKEN"',
    ...(body === undefined
      ? []
      : [`-H ${quoted('Content-Type: application/json')}`, `--data-raw ${quoted(JSON.stringify(body))}`]),
  ].join(' \\\n  ')

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  return value instanceof Date ? value.toISOString() : JSON.stringify(value)
}

/** What a spreadsheet would run as a formula; full-width signs count as well. */
const formula = /^(?:[\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/
/** -12.5 and +4477900123 are what they look like. */
const plain = /^(?:[+-]?\d+(?:\.\d+)?|\+[1-9]\d{1,14})$/

const cellOf = (value: unknown): string => {
  const text = textOf(value)
  const safe = formula.test(text) && !plain.test(text) ? `'${text}` : text
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A table as RFC 4180 has it, header first; no cell is run as a formula by a spreadsheet that opens it. */
export const csvOf = <Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string =>
  [columns.map(({ header }) => header), ...rows.map((row) => columns.map(({ value }) => value(row)))]
    .map((cells) => `${cells.map(cellOf).join(',')}\r\n`)
    .join('')

/** Saves a table to a file. The mark at its beginning tells Excel that it is UTF-8. */
export const downloadCsv = (name: string, csv: string): void =>
  saveFile(name, new Blob(['\ufeff', csv], { type: 'text/csv;charset=utf-8' }))
