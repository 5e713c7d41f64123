import { expect, test } from 'vitest'
import { type CsvColumn, toCsv } from './export.ts'
import { formatJson } from './format/json.ts'

test('JSON is indented', () => {
  expect(formatJson({ a: [1] })).toBe('{\n  "a": [\n    1\n  ]\n}')
})

const columns: readonly CsvColumn<unknown>[] = [{ header: 'value', value: (row) => row }]
const cell = (value: unknown) => toCsv(columns, [value]).slice('value\r\n'.length, -'\r\n'.length)

test('a table has its header, and a line for each row', () => {
  const csv = toCsv(
    [
      { header: 'From', value: ({ from }: { from: string; to: string }) => from },
      { header: 'To, dialled', value: ({ to }) => to },
    ],
    [
      { from: '15083084809', to: '+442079460958' },
      { from: 'Zoë', to: '' },
    ],
  )
  expect(csv).toBe('From,"To, dialled"\r\n15083084809,+442079460958\r\nZoë,\r\n')
})

test('a table without rows is its header', () => {
  expect(toCsv(columns, [])).toBe('value\r\n')
})

test.each([
  [null, ''],
  [undefined, ''],
  ['', ''],
  [0, '0'],
  [false, 'false'],
  [-5, '-5'],
  [new Date(0), '1970-01-01T00:00:00.000Z'],
  [{ a: 1 }, '"{""a"":1}"'],
  ['a "b"', '"a ""b"""'],
  ['a,b', '"a,b"'],
  ['two\nlines', '"two\nlines"'],
  [' spaced ', '" spaced "'],
])('%j is written %s', (value, written) => {
  expect(cell(value)).toBe(written)
})

test.each([
  ['=1+1', "'=1+1"],
  ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
  ['+1+1', "'+1+1"],
  ['-1+1', "'-1+1"],
  ['-2 people', "'-2 people"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', `"\t'=1"`],
  ['\r=1', `"\r'=1"`],
  ["'=1+1", "''=1+1"],
  ['a;=1+1', `"a;'=1+1"`],
  ['a; @SUM(A1);-5;b', `"a;' @SUM(A1);-5;b"`],
  ['a\n-1+1', `"a\n'-1+1"`],
  ['a\t+1+1', `"a\t'+1+1"`],
  ['"=1+1', `"'""=1+1"`],
  ['a;"=1+1', `"a;'""=1+1"`],
  [' =1+1', "' =1+1"],
  ['\uff1d1+1', "'\uff1d1+1"],
  ['+', "'+"],
  ['-', "'-"],
  ['+12345678901234567890x', "'+12345678901234567890x"],
])('%j is no formula', (value, written) => {
  expect(cell(value)).toBe(written)
})

test.each(['-5', '+5', '+0123', '-12.50', '+442079460958', '15083084809', 'a=b', 'x-y', 'a@b.example'])(
  '%s stays',
  (text) => {
    expect(cell(text)).toBe(text)
  },
)

test.each([',', ';', '\t'])('no spreadsheet that separates cells at %j executes a cell', (separator) => {
  const [separators, signs] = [
    ['', ';', '\t', '\n', '\r', ',', '"', ';"', ';" ', ',"'],
    ['=', '+', '-', '@', '\uff1d'],
  ]
  for (const before of ['', 'a', '"', ' '])
    for (const between of separators)
      for (const sign of signs) {
        // Spreadsheets ignore quotation marks within a cell, and some read one at its beginning as the start of the text.
        const lines = toCsv(columns, [{ value: `${before}${between}${sign}1+1` }, { value: 'b' }]).split(/[\r\n]/)
        const starts = lines.flatMap((line) => line.split(separator === ',' ? ';' : separator))
        expect(starts.filter((start) => /^[\s"]*[=+\-@\uff1d]/.test(start))).toEqual([])
      }
})
