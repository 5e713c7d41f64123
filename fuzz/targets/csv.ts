import { csvLine } from '@patchbay/rules/phone-number/csv'
import { type CsvLine, parseCsv } from '../../console/src/screens/phone-numbers/form/csv.ts'
import { readFileRows } from '../../console/src/screens/phone-numbers/form/file-rows.ts'
import { maxRows } from '../../console/src/screens/phone-numbers/form/import-file.ts'
import { assertEqual, assertLineNumbers, assertRule, type FuzzTarget } from '../engine/target.ts'

/** Files for the import of phone numbers, and the cells of exports. */

const checkLines = (text: string, lines: readonly CsvLine[]): void => {
  let characters = 0
  for (const { line, cells, error } of lines) {
    characters += cells.join('').length
    assertRule(error === undefined || error.length < 200, () => `the error is long: ${error}`)
    assertRule(
      cells.some((cell) => cell !== ''),
      () => `line ${line} is empty`,
    )
  }
  assertLineNumbers(lines, text.replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n'))
  assertRule(characters <= text.length, () => 'the cells are longer than the file')
}

const checkRows = (lines: readonly CsvLine[]): void => {
  const file = readFileRows(lines)
  if (file.is === 'ambiguous') return assertRule(file.columns.length > 0, () => 'there is no column to choose')
  if (file.is === 'unreadable') return assertRule(file.why.length < 500, () => `the reason is long: ${file.why}`)
  assertRule(file.rows.length <= Math.min(lines.length, maxRows), () => 'there are more rows than lines')
  for (const row of file.rows)
    for (const [column, value] of Object.entries(row))
      assertRule(
        value === undefined || column === 'line' || column === 'error' || (value as string).length <= 255,
        () => `${column} of line ${row.line} is long`,
      )
}

/** The first line of an export, from which an import learns the separator. */
const columns = ['number', 'carrier']

/** The cells of an export are the same after an import, apart from spaces around them. */
const checkExport = (text: string): void => {
  const cellsOfRows = text
    .slice(0, 4000)
    .split('\x1e')
    .map((row) => row.split('\x1f'))
    .filter((cells) => cells.some((cell) => cell.trim() !== ''))
  const rows = [columns, ...cellsOfRows]
  const expected = rows.map((cells) => cells.map((cell) => cell.trim()))
  const read = parseCsv(rows.map(csvLine).join('')).map(({ cells }) => cells.map((cell) => cell.trim()))
  assertEqual(read, expected, 'the cells of an import and of its export')
}

export const target: FuzzTarget = {
  name: 'csv',
  files: /\/phone-numbers\/form\/(?:csv|file-rows)\.ts$|\/phone-number\/csv\.ts$/,
  maxBytes: 131_072,
  maxCpuMs: 1000,
  maxRssMb: 600,
  tokens: ['\x1e', '\x1f', '""', '","', '"\n', '\r', '=1+1', "'=", '+', '@', 'number', 'carrier', ',,', ';;', '\ufeff'],
  createSeeds: () =>
    [
      '\ufeffnumber,carrier,account,application\r\n+15083084809,Acme,"A, B","say ""hi"""\r\n\r\n1508,,,\r\n',
      'phone number;voip_carrier_sid;account_sid\n15083084809;a;"b;c"\n',
      'number\tcarrier\n1\t2\n"unclosed\t3\n4\t5',
      '15083084809\n15083084810\n',
      "number\x1fcarrier\x1e15083084809\x1f=1+1;-2\x1e'=x\x1fa\nb",
    ].map((text) => Buffer.from(text)),
  run(input) {
    const text = input.toString('utf8')
    const lines = parseCsv(text)
    checkLines(text, lines)
    checkRows(lines)
    checkExport(text)
  },
}
