import { describe, expect, test } from 'vitest'
import { toCsv } from '../../../ui/export.ts'
import { type CsvLine, parseCsv } from './csv.ts'
import { maxRows, readFileRows, withDefaults } from './file-rows.ts'

const readCells = (text: string) => parseCsv(text).map(({ cells }) => cells)

test.each<[string, string[][]]>([
  [
    'a,b\r\n1,2\r\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a;b\n1;2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a\tb\n1\t2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    '\ufeffa,b\n\n , \n1,',
    [
      ['a', 'b'],
      ['1', ''],
    ],
  ],
  [
    '"a,b";c\n"say ""hi""";"two\nlines"',
    [
      ['a,b', 'c'],
      ['say "hi"', 'two\nlines'],
    ],
  ],
  [
    'a,b\r\n"1" ,"2"\r\n3,4\n',
    [
      ['a', 'b'],
      ['1', '2'],
      ['3', '4'],
    ],
  ],
  ["'+1(508),'=x,'abc,\"'-1*\"", [['+1(508)', '=x', "'abc", '-1*']]],
  ['', []],
])('reads %j as %j', (text, cells) => {
  expect(readCells(text)).toEqual(cells)
})

test('reports line numbers as an editor counts them', () => {
  expect(parseCsv('a\n"b\nc"\n\nd').map(({ line }) => line)).toEqual([1, 2, 5])
})

test.each<[string, CsvLine[]]>([
  [
    'number,carrier\n1,"A\n2,B\n3,C\n4,D',
    [
      { line: 1, cells: ['number', 'carrier'], error: undefined },
      {
        line: 2,
        cells: ['1', 'A\n2,B\n3,C\n4,D'],
        error: 'A quotation mark is not closed or not doubled. Lines 2 to 5 were read as one row.',
      },
    ],
  ],
  [
    'a\n"b" c"\nd',
    [
      { line: 1, cells: ['a'], error: undefined },
      { line: 2, cells: ['b" c'], error: 'A quotation mark is not closed or not doubled.' },
      { line: 3, cells: ['d'], error: undefined },
    ],
  ],
])('reports the malformed row of %j', (text, lines) => {
  expect(parseCsv(text)).toEqual(lines)
})

/** Returns pseudorandom texts, the same in every run, of characters with a meaning in CSV, formulas, or patterns. */
const createRandomSamples = (count: number): string[] => {
  const signs = Array.from('0123456789+-=@*#^$()[]|.,;:\t\n"\'\\ äß💥')
  let seed = 7
  const dice = (sides: number) => (seed = (seed * 48_271) % 2_147_483_647) % sides
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + dice(12) }, () => signs[dice(signs.length)]).join(''),
  )
}

test('reads every exported text back unchanged', () => {
  const column = { header: 'number', value: (text: string) => text }
  // CSV cells lose outer whitespace, so texts with it are excluded.
  const samples = createRandomSamples(5000).filter((text) => text.trim() === text)
  expect(samples.length).toBeGreaterThan(3000)
  expect(readCells(toCsv([column, column], samples)).slice(1)).toEqual(samples.map((text) => [text, text]))
})

test.each([" '=1+1", '\ufeff=1+1', "\t'-1*", ' a '])(
  'reads the exported text %j back without outer whitespace',
  (text) => {
    const column = { header: 'number', value: () => text }
    expect(readCells(toCsv([column, column], [text])).slice(1)).toEqual([[text.trim(), text.trim()]])
  },
)

describe('the rows of a file', () => {
  const read = (text: string) => {
    const result = readFileRows(parseCsv(text))
    return result.is === 'read' ? result : result.why
  }

  test('prefers SIDs to names, leaves missing columns undefined, and accepts an export', () => {
    expect(
      read(
        'Number,carrier_name,voip_carrier_sid,application_name,phone_number_sid,colour\n+1508,C,c-sid,,p,red\n1*,D,,Hello,,',
      ),
    ).toEqual({
      is: 'read',
      columns: ['number', 'carrier', 'application'],
      unknown: ['colour'],
      rows: [
        { line: 2, number: '+1508', carrier: 'c-sid', application: '' },
        { line: 3, number: '1*', carrier: 'D', application: 'Hello' },
      ],
    })
  })

  test('accepts a list of numbers without a header', () => {
    expect(read('+1 508 308 4809\n15083084810')).toMatchObject({
      rows: [{ line: 1, number: '+1 508 308 4809' }, { line: 2 }],
    })
  })

  test.each([
    ['', 'The file is empty.'],
    ['name,carrier\na,b', 'The first line must name the columns, and one of them must be “number”.'],
    [
      'number,"carrier\n1,C',
      'Line 1: A quotation mark is not closed or not doubled. Lines 1 to 2 were read as one row.',
    ],
    ['number,carrier\n', 'The file contains only column names and no rows.'],
  ])('rejects %j: %s', (text, why) => {
    expect(read(text)).toBe(why)
  })

  test('keeps the reason why a row is malformed', () => {
    expect(read('number,carrier\n1,C\n2,"D\n3,E\n4,F')).toMatchObject({
      rows: [
        { line: 2, number: '1', error: undefined },
        { line: 3, number: '2', error: expect.stringMatching(/Lines 3 to 5 were read as one row/) },
      ],
    })
  })

  test('reports a file with too many rows', () => {
    const text = `number\n${'1\n'.repeat(maxRows + 1)}`
    expect(read(text)).toBe('The file contains 50,001 rows. At most 50,000 can be imported at once. Split the file.')
  })

  test('applies the defaults to rows without a value and keeps the values of other rows', () => {
    const defaults = { account_sid: 'a', voip_carrier_sid: '' }
    expect(withDefaults({ line: 1, number: '1' }, defaults)).toMatchObject({ account: 'a', carrier: undefined })
    expect(withDefaults({ line: 1, number: '1', account: 'b' }, defaults)).toMatchObject({ account: 'b' })
  })
})
