import { describe, expect, test } from 'vitest'
import { toCsv } from '../../../ui/export.ts'
import { type CsvLine, parseCsv } from './csv.ts'
import { readFileRows } from './file-rows.ts'
import { maxRows, withDefaults } from './import-file.ts'

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
  [
    'a,b\r1,2\r',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a,b\u20281,2\u20293,4\u00855,6',
    [
      ['a', 'b'],
      ['1', '2'],
      ['3', '4'],
      ['5', '6'],
    ],
  ],
  [
    'sep=;\r\na,x;b\r\n1;2',
    [
      ['a,x', 'b'],
      ['1', '2'],
    ],
  ],
  ['\ufeff"sep=\t"\na,x\tb', [['a,x', 'b']]],
  ['SEP=|\na;x;y|b', [['a;x;y', 'b']]],
  [
    'a|b|c\n1|2|3',
    [
      ['a', 'b', 'c'],
      ['1', '2', '3'],
    ],
  ],
  ['sep=;;;\na,x;b', [['a,x', 'b']]],
  ['sep=;,,\na,x;b', [['a,x', 'b']]],
  ['sep = ;\na,x;b', [['a,x', 'b']]],
  [
    'a,b\r5" desk,c\rd,e\r',
    [
      ['a', 'b'],
      ['5" desk', 'c'],
      ['d', 'e'],
    ],
  ],
  ['a\nb;c\nd, e;f\ng;h', [['a'], ['b', 'c'], ['d, e', 'f'], ['g', 'h']]],
  ["'+1(508),'=x,'abc,\"'-1*\"", [['+1(508)', '=x', "'abc", '-1*']]],
  ['', []],
])('reads %j as %j', (text, cells) => {
  expect(readCells(text)).toEqual(cells)
})

test('reports line numbers as an editor counts them', () => {
  expect(parseCsv('a\n"b\nc"\n\nd').map(({ line }) => line)).toEqual([1, 2, 5])
  expect(parseCsv('sep=;\ra\r"b\rc"\r\rd').map(({ line }) => line)).toEqual([2, 3, 6])
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
    return result.is === 'unreadable' ? result.why : result
  }

  test('prefers SIDs to names, leaves missing columns undefined, and accepts an export', () => {
    expect(
      read(
        'Number,carrier_name,voip_carrier_sid,application_name,phone_number_sid,colour\n+1508,C,c-sid,,p,red\n1*,D,,Hello,,',
      ),
    ).toEqual({
      is: 'read',
      columns: ['number', 'carrier', 'application'],
      unused: ['colour'],
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
    [
      '"Phone Number","Friendly Name","Voice URL","Account Sid"\n"+15083084821","Front desk 😀","https://app.example/voice","AC0123"',
      '+15083084821',
    ],
    ['Telephone Number,Site,Status\n5083084822,Main,Inservice', '5083084822'],
    ['DID;Country;Type\n4930555012340;Germany;Local', '4930555012340'],
    ['e164,connection\n+15083084824,trunk-1', '+15083084824'],
    ['msisdn,country\n15083084825,US', '15083084825'],
    ['PhoneNumber\tAlias\n15083084826\tx', '15083084826'],
    ['TN,Trunk\n5083084827,a', '5083084827'],
    ['E.164 Number,Name\n+15083084828,a', '+15083084828'],
    ['Ligne;Numéro de téléphone\nAccueil;+33155501234', '+33155501234'],
    ['Rufnummer;Ort\n+49 30 5550123;Berlin', '+49 30 5550123'],
    ['Country,Number,E164\nUS,(508) 308-4829,+15083084829', '+15083084829'],
    ['Number,Phone Number\n1,+15083084830', '+15083084830'],
    ['Number,Number\n,+15083084831', '+15083084831'],
    ['Country;LVN;Type\nGB;447700900000;mobile', '447700900000'],
    ['DisplayName,LineURI\nAlice,tel:+442079460958', 'tel:+442079460958'],
    ['N° de téléphone;Site\n+33155501234;Paris', '+33155501234'],
    ['Номер телефона;Город\n+74955550123;Москва', '+74955550123'],
    ['電話番号,名前\n+81355501234,東京', '+81355501234'],
    ['전화번호,이름\n+8225550123,서울', '+8225550123'],
    ['number,911\n+15083084832,yes', '+15083084832'],
    ['Report of May;;\n;;\nRufnummer;Ort;\n+49305550123;Berlin;', '+49305550123'],
    ['Nummern, Stand Mai\nRufnummer;Ort\n+49305550123;Berlin', '+49305550123'],
    ['# exported, as is\nnumber;note\n+15083084833;a', '+15083084833'],
  ])('reads the numbers of an export of another program: %j', (text, number) => {
    expect(read(text)).toMatchObject({ is: 'read', columns: ['number'], rows: [{ number }] })
  })

  test('asks which column contains the numbers if none has a known name', () => {
    const lines = parseCsv('Label,Destination,Note\nFront,+15083084821,a\nBack,+15083084822,b')
    expect(readFileRows(lines)).toEqual({ is: 'ambiguous', columns: [{ index: 1, label: 'Destination' }] })
    expect(readFileRows(lines, 1)).toMatchObject({
      is: 'read',
      rows: [{ number: '+15083084821', line: 2 }, { number: '+15083084822' }],
      unused: ['label', 'note'],
    })
  })

  test('asks for the column of a file without names, and reads its first line', () => {
    const lines = parseCsv('Front,+15083084821\nBack,+15083084822')
    expect(readFileRows(lines)).toEqual({ is: 'ambiguous', columns: [{ index: 1, label: 'Column 2: +15083084821' }] })
    expect(readFileRows(lines, 1)).toMatchObject({
      is: 'read',
      rows: [{ number: '+15083084821', line: 1 }, { number: '+15083084822' }],
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

  test('rejects a row with more cells than columns, but not with empty ones', () => {
    expect(read('number,account\n15,083,084,801\n2,Acme, Inc.\n3,Acme,,\n4')).toMatchObject({
      rows: [
        { line: 2, error: expect.stringMatching(/more cells than the file has columns/) },
        { line: 3, error: expect.stringMatching(/in quotation marks/) },
        { line: 4, error: undefined },
        { line: 5, error: undefined },
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
