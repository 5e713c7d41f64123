import { csvLine, csvMark } from '@patchbay/rules/phone-number/csv'
import { saveFile } from './save-file.ts'

/** Formats for shells, scripts, and spreadsheets. */

export interface CsvColumn<Row> {
  header: string
  value: (row: Row) => unknown
}

/** Quotes a text as one word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Returns a curl command for a request. The command reads the token from a variable, so it contains no secret. */
export const toCurl = ({ method, url, body }: { method: string; url: string; body?: unknown }): string =>
  [
    // Without this option, curl interprets brackets in a URL as a range.
    `curl${/[[\]{}]/.test(url) ? ' -g' : ''}${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url)}`,
    '-H "Authorization: Bearer $PATCHBAY_TOKEN"',
    ...(body === undefined
      ? []
      : [`-H ${quoted('Content-Type: application/json')}`, `--data-raw ${quoted(JSON.stringify(body))}`]),
  ].join(' \\\n  ')

/** Returns a table as CSV (RFC 4180) with a header. Cells that a spreadsheet would run as formulas are escaped. */
export const toCsv = <Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string =>
  [columns.map(({ header }) => header), ...rows.map((row) => columns.map(({ value }) => value(row)))]
    .map(csvLine)
    .join('')

/** Saves a table to a file: a text, or a file that the server created. */
export const downloadCsv = (name: string, csv: string | Blob): void =>
  saveFile(name, typeof csv === 'string' ? new Blob([csvMark, csv], { type: 'text/csv;charset=utf-8' }) : csv)
