import { expect, test } from 'vitest'
import { type CellValue, decodeRow, encodeRow } from './row-encoding.ts'

const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte)

const exact: readonly CellValue[] = [
  null,
  '',
  'line\nbreak, "quote", \\ and \0',
  'Ünïcödé 📞 \u2028',
  0,
  -0,
  1.1,
  5e-324,
  Number.MAX_VALUE,
  Infinity,
  -Infinity,
  Number.MAX_SAFE_INTEGER,
  9_007_199_254_740_993n,
  -9_223_372_036_854_775_808n,
  everyByte,
  new Uint8Array(),
]

test('every value is decoded to exactly what was encoded, in one line', () => {
  const line = encodeRow(exact)
  expect(line.indexOf('\n')).toBe(line.length - 1)
  expect(decodeRow(line.slice(0, -1), exact.length)).toEqual(exact)
})

test('a bigint that a number represents exactly becomes a number', () => {
  expect(encodeRow([42n])).toBe('[42]\n')
})

test.each(['', '{', '[1]', '[1,2,3]', '{"0":1,"1":2}', '[1,{"int":"x"}]', '[1,{"int":1}]', '[1,true]', '[1,[2]]'])(
  'rejects %j instead of a row of two values',
  (line) => {
    expect(() => decodeRow(line, 2)).toThrow('The backup is damaged')
  },
)

test('a row with texts of many megabytes is restored exactly, and one with millions of values is rejected', () => {
  const bytes = new Uint8Array(20_000_000).fill(7)
  const row = [1, `a "quoted" [text] {with}, \\ and \n`.repeat(200_000), '\\'.repeat(99_999)]
  const [restored, ...restoredValues] = decodeRow(encodeRow([bytes, ...row]).trimEnd(), 4)
  // The comparison of Vitest takes seconds for so many bytes.
  expect(restored instanceof Uint8Array && Buffer.from(restored).equals(bytes)).toBe(true)
  expect(restoredValues).toEqual(row)
  for (const values of ['[],', '"",', '1,', '{"int":"1"},', '"\\"",'])
    expect(() => decodeRow(`[${values.repeat(200_000)}null]`, 4)).toThrow(/does not have 4 values/)
})
