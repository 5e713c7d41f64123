import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { type CsvColumn, toCsv, toCurl } from './export.ts'
import { formatJson } from './format/json.ts'

/** Returns the arguments that a shell passes to curl. */
const parseArguments = (command: string): string[] =>
  execFileSync('sh', ['-c', command.replace(/^curl/, String.raw`printf '%s\0'`)], {
    env: { PATCHBAY_TOKEN: 'from-the-shell' },
    encoding: 'utf8',
  })
    .split('\0')
    .slice(0, -1)

test('a read as a curl command', () => {
  expect(toCurl({ method: 'GET', url: 'https://voice.example.com/api/v1/Accounts?page=1&count=25' })).toBe(
    `curl 'https://voice.example.com/api/v1/Accounts?page=1&count=25' \\\n  -H "Authorization: Bearer $PATCHBAY_TOKEN"`,
  )
})

test('a shell passes the method, headers, and body of a write to curl unchanged', () => {
  const body = { name: `O'Brien "$HOME" \`id\` \\ !! \n ж`, file: '@/etc/passwd' }
  expect(parseArguments(toCurl({ method: 'PUT', url: 'https://x.example/a?b=it%27s&c=d;e', body }))).toEqual([
    '-X',
    'PUT',
    'https://x.example/a?b=it%27s&c=d;e',
    '-H',
    'Authorization: Bearer from-the-shell',
    '-H',
    'Content-Type: application/json',
    '--data-raw',
    JSON.stringify(body),
  ])
})

test('an address with brackets is no range of addresses', () => {
  expect(parseArguments(toCurl({ method: 'GET', url: 'http://[::1]:3000/?filter=[1-3]' }))).toContain('-g')
})

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
