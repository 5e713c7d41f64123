import { describe, expect, test } from 'vitest'
import { type FieldValue, parseLineProtocol, type Precision } from './line-protocol.ts'

const now = 1_700_000_000_000_000_000n
const parse = (body: string, precision: Precision = 'n') => parseLineProtocol(body, { precision, now })
const only = (body: string, precision?: Precision) => {
  const { points, rejected } = parse(body, precision)
  expect(rejected).toEqual([])
  expect(points).toHaveLength(1)
  return points[0]
}
const plain = (values: Readonly<Record<string, FieldValue>> | undefined) => ({ ...values })

describe('a point', () => {
  test('has measurement, tags, fields of every type, and time', () => {
    const point = only('cdrs,trunk=a,host=10.0.0.1 duration=45,from="1508",answered=t,n=3i,u=4u,x=-1.5e3,f=FALSE 17')
    expect(point).toMatchObject({ measurement: 'cdrs', time: 17n, line: 1 })
    expect(plain(point?.tags)).toEqual({ trunk: 'a', host: '10.0.0.1' })
    expect(plain(point?.fields)).toEqual({ duration: 45, from: '1508', answered: true, n: 3, u: 4, x: -1500, f: false })
  })

  test('has the time of arrival when it brings none', () => {
    expect(only('m f=1')?.time).toBe(now)
    expect(only('m f=1 -5')?.time).toBe(-5n)
  })

  test.each([
    ['n', 1n],
    ['ns', 1n],
    ['u', 1_000n],
    ['µ', 1_000n],
    ['ms', 1_000_000n],
    ['s', 1_000_000_000n],
    ['m', 60_000_000_000n],
    ['h', 3_600_000_000_000n],
  ] as const)('counts its time in %s', (precision, nanoseconds) => {
    expect(only('m f=1 2', precision)?.time).toBe(2n * nanoseconds)
  })

  test('may hold escaped commas, spaces and equals signs, and any script', () => {
    const point = only('my\\ m\\,x,my\\ tag=a\\,b\\ c\\=d,t=日本 f\\ 1="grüße"')
    expect(point?.measurement).toBe('my m,x')
    expect(plain(point?.tags)).toEqual({ 'my tag': 'a,b c=d', t: '日本' })
    expect(plain(point?.fields)).toEqual({ 'f 1': 'grüße' })
  })

  test('keeps quotes, backslashes and line ends of a quoted text', () => {
    const { points } = parse('m f="a \\"b\\" \\\\ c, d=e",g="two\nlines" 1\nm f=2 3')
    expect(points.map(({ fields, line }) => ({ ...fields, line }))).toEqual([
      { f: 'a "b" \\ c, d=e', g: 'two\nlines', line: 1 },
      { f: 2, line: 3 },
    ])
  })

  test('may have a quote in a tag, where it opens nothing', () => {
    const { points } = parse('m,trunk="odd f=1 1\nm f=2 2')
    expect(points.map(({ time }) => time)).toEqual([1n, 2n])
    expect(points[0]?.tags['trunk']).toBe('"odd')
  })

  test('may have a name that means something elsewhere', () => {
    const point = only('m,__proto__=x constructor=1')
    expect(Object.keys(point?.tags ?? {})).toEqual(['__proto__'])
    expect({}).not.toHaveProperty('x')
  })
})

describe('a body', () => {
  test('may have comments, empty lines and CRLF', () => {
    const { points, rejected } = parse('# comment\r\n\r\nm f=1 1\r\n  \r\nm f=2 2')
    expect(rejected).toEqual([])
    expect(points.map(({ line }) => line)).toEqual([3, 5])
  })

  test('keeps its valid lines and names the others', () => {
    const { points, rejected } = parse('m f=1 1\nnonsense\nm f=2 2\nm f= 3\nm f=3 3')
    expect(points.map(({ time }) => time)).toEqual([1n, 2n, 3n])
    expect(rejected.map(({ line }) => line)).toEqual([2, 4])
  })

  test('keeps what follows a text that is never closed', () => {
    const { points, rejected } = parse('m f="never closed 1\nm f=2 2\nm f=3 3')
    expect(points.map(({ time }) => time)).toEqual([2n, 3n])
    expect(rejected).toEqual([{ line: 1, text: 'm f="never closed 1', reason: 'a text is not closed' }])
  })
})

test.each([
  ['m', 'there are no fields'],
  ['m,t=1', 'there are no fields'],
  [',t=1 f=1', 'there is no measurement'],
  ['m,t f=1', 'a tag has no value'],
  ['m,t= f=1', 'tag t has no value'],
  ['m,=x f=1', 'a tag has no name'],
  ['m,t=1,t=2 f=1', 'tag t stands twice'],
  ['m f', 'field f has no value'],
  ['m f=', 'field f has no value'],
  ['m =1', 'a field has no name'],
  ['m f=undefined', 'field f has the invalid value undefined'],
  ['m f=NaN', 'field f has the invalid value NaN'],
  ['m f=1e999', 'field f has the invalid value 1e999'],
  ['m f=1 tomorrow', 'the timestamp tomorrow is invalid'],
  ['m f=1 99999999999999999999', 'the timestamp 99999999999999999999 is invalid'],
  ['m f="x"y 1', 'something follows the fields that is no timestamp'],
])('%j is refused: %s', (line, reason) => {
  expect(parse(line)).toMatchObject({ points: [], rejected: [{ line: 1, reason }] })
})

/** A small generator with a fixed seed, so that a failure can be seen again. */
const random = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}

test('whatever was written is read again', () => {
  const next = random(7)
  const alphabet = ['a', 'Z', '0', ' ', ',', '=', 'ü', '.', '"', '☎']
  const word = () => `w${Array.from({ length: Math.floor(next() * 6) }, () => alphabet[Math.floor(next() * 10)]).join('')}`
  const escaped = (text: string) => text.replace(/[, =]/g, '\\$&')
  for (let round = 0; round < 400; round += 1) {
    const tag = word()
    const value = `${word()}\n"\\`
    const number = Math.round(next() * 1e6) / 100
    const body = `${escaped(word())},${escaped(tag)}=${escaped(tag)} text="${value.replace(/["\\]/g, '\\$&')}",${escaped(tag)}=${number} ${round}`
    const point = only(body)
    expect(plain(point?.tags)).toEqual({ [tag]: tag })
    expect(plain(point?.fields)).toEqual({ text: value, [tag]: number })
  }
})

test('no bytes whatsoever make it throw', () => {
  const next = random(11)
  const bytes = ['m', ' ', ',', '=', '"', '\\', '\n', '\r', '1', 'i', '#', '\0', '\u{1F4DE}', 't', '-', '.', 'e']
  for (let round = 0; round < 3000; round += 1) {
    const body = Array.from({ length: Math.floor(next() * 40) }, () => bytes[Math.floor(next() * bytes.length)]).join('')
    expect(() => parse(body)).not.toThrow()
  }
})
