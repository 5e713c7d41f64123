import { csvLine, csvMark } from '@patchbay/contract/phone-number/csv'
import { saveFile } from './save-file.ts'

/** Formats for shells, scripts, and spreadsheets. */

export interface CsvColumn<Row> {
  header: string
  value: (row: Row) => unknown
}

/** A word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** A command that makes a request from a POSIX shell. The token is a variable there, and never in the text. */
export const toCurl = ({ method, url, body }: { method: string; url: string; body?: unknown }): string =>
  [
    // curl would take brackets in an address for a range of addresses.
    `curl${/[[\]{}]/.test(url) ? ' -g' : ''}${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url)}`,
    '-H "Authorization: Bearer $PATCHBAY_TOKEN"',
    ...(body === undefined
      ? []
      : [`-H ${quoted('Content-Type: application/json')}`, `--data-raw ${quoted(JSON.stringify(body))}`]),
  ].join(' \\\n  ')

/** A table as RFC 4180 has it, header first; no cell is run as a formula by a spreadsheet that opens it. */
export const toCsv = <Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string =>
  [columns.map(({ header }) => header), ...rows.map((row) => columns.map(({ value }) => value(row)))]
    .map(csvLine)
    .join('')

/** Saves a table to a file: its text, or what a server has made whole. */
export const downloadCsv = (name: string, csv: string | Blob): void =>
  saveFile(name, typeof csv === 'string' ? new Blob([csvMark, csv], { type: 'text/csv;charset=utf-8' }) : csv)
