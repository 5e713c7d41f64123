import { expect, test } from 'vitest'
import { parseCsv } from './csv.ts'
import { readFileRows } from './file-rows.ts'

const read = (text: string) => {
  const file = readFileRows(parseCsv(text))
  if (file.is !== 'read') return file
  const { rows, unused, skipped } = file
  return { numbers: rows.map(({ number }) => number), unused, skipped }
}

test.each([
  [
    'Number,Phone,Name\n1,+14155550126,A\n2,+14155550127,B\n3,,C',
    ['+14155550126', '+14155550127', ''],
    ['number', 'name'],
  ],
  ['Nummer;Telefon\n1;+49305550123', ['+49305550123'], ['nummer']],
  ['Telephone number,Toll free number\n+14155550126,+18005550127', ['+14155550126'], ['toll free number']],
  ['Name,DID,CLI\nA,+14155550126,+14155550999', ['+14155550126'], ['name', 'cli']],
  [
    'Phone,CLI\n+14155550126,+14155550999\n,+14155550998',
    ['+14155550126', '+14155550998'],
    ['cli (in rows that have another number)'],
  ],
  ['Number,Phone\n112,', ['112'], []],
  [
    'Country Code,Phone Number\n44,2079460018\n+49,305550123',
    ['2079460018', '305550123'],
    ['country code (which the numbers lack: join both in the file)'],
  ],
  [
    'Country Code;Area Code;Number\n1;508;3084809',
    ['3084809'],
    ['country code', 'area code'].map((name) => `${name} (which the numbers lack: join both in the file)`),
  ],
  ['Country Code,Area Code,Number\n1,508,+15083084809', ['+15083084809'], ['country code', 'area code']],
  ['Country Code,Number\nUS,+15083084809', ['+15083084809'], ['country code']],
])('reads the column with the numbers, and lists the others: %j', (text, numbers, unused) => {
  expect(read(text)).toEqual({ numbers, unused, skipped: undefined })
})

test.each([
  ['Account,5500012\nTelephone Number,City\n4155550126,SF', 1],
  ['Report date,2024-03-05\nTotal numbers,2\n\nPhone Number,Name\n+14155550126,A', 2],
  ['2024-03-05\nPhone Number,Name\n+14155550126,A', 1],
])('skips titles with digits above the column names: %j', (text, skipped) => {
  expect(read(text)).toMatchObject({ numbers: [expect.stringContaining('4155550126')], skipped })
})

test('finds the names below a title also if none is known', () => {
  const lines = parseCsv('2024-03-05\nLabel,Destination\nFront,+14155550126')
  expect(readFileRows(lines)).toEqual({ is: 'ambiguous', columns: [{ index: 1, label: 'Destination' }] })
  expect(readFileRows(lines, 1)).toMatchObject({ rows: [{ number: '+14155550126', line: 3 }], unused: ['label'] })
})

test.each(['+14155550126\nNumber\n+14155550127', '+14155550126,Main\n+14155550127,DID'])(
  'loses no number above a line that looks like column names: %j',
  (text) => {
    const file = readFileRows(parseCsv(text), 0)
    expect(file).toMatchObject({ rows: expect.arrayContaining([expect.objectContaining({ number: '+14155550126' })]) })
  },
)

test('reads names of records with a space', () => {
  expect(
    readFileRows(parseCsv('Number,Account Name,Carrier Name,Application Name\n+14155550126,Acme,Telnyx,IVR')),
  ).toMatchObject({ rows: [{ account: 'Acme', carrier: 'Telnyx', application: 'IVR' }], unused: [] })
})
