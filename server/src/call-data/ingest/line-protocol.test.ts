import { growth } from '@patchbay/testkit/complexity-ratio'
import { describe, expect, test } from 'vitest'
import { type FieldValue, isRejected, type Point, type Precision, parseLineProtocol } from './line-protocol.ts'

const now = 1_700_000_000_000_000_000n
const parse = (body: string, precision: Precision = 'n') => {
  const read = [...parseLineProtocol(body, { precision, now })].filter((one) => one !== undefined)
  return { points: read.filter((line): line is Point => !isRejected(line)), rejected: read.filter(isRejected) }
}
const only = (body: string, precision?: Precision) => {
  const { points, rejected } = parse(body, precision)
  expect(rejected).toEqual([])
  expect(points).toHaveLength(1)
  return points[0]
}
const plain = (values: ReadonlyMap<string, FieldValue> | undefined) => Object.fromEntries(values ?? [])

describe('a point', () => {
  test('has measurement, tags, fields of every type, and time', () => {
    const point = only('cdrs,trunk=a,host=10.0.0.1 duration=45,from="1508",answered=t,n=3i,u=4u,x=-1.5e3,f=FALSE 17')
    expect(point).toMatchObject({ measurement: 'cdrs', time: 17n, line: 1 })
    expect(plain(point?.tags)).toEqual({ trunk: 'a', host: '10.0.0.1' })
    expect(plain(point?.fields)).toEqual({ duration: 45, from: '1508', answered: true, n: 3, u: 4, x: -1500, f: false })
  })

  test('has the time of arrival if it has no timestamp', () => {
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
  ] as const)('has its timestamp in the unit %s', (precision, nanoseconds) => {
    expect(only('m f=1 2', precision)?.time).toBe(2n * nanoseconds)
  })

  test('may contain escaped commas, spaces, and equals signs, and any script', () => {
    const point = only('my\\ m\\,x,my\\ tag=a\\,b\\ c\\=d,t=日本 f\\ 1="grüße"')
    expect(point?.measurement).toBe('my m,x')
    expect(plain(point?.tags)).toEqual({ 'my tag': 'a,b c=d', t: '日本' })
    expect(plain(point?.fields)).toEqual({ 'f 1': 'grüße' })
  })

  test('keeps quotes, backslashes, and line breaks of a quoted string', () => {
    const { points } = parse('m f="a \\"b\\" \\\\ c, d=e",g="two\nlines" 1\nm f=2 3')
    expect(points.map(({ fields, line }) => ({ ...plain(fields), line }))).toEqual([
      { f: 'a "b" \\ c, d=e', g: 'two\nlines', line: 1 },
      { f: 2, line: 3 },
    ])
  })

  test('may contain a quote in a tag, where it has no special meaning', () => {
    const { points } = parse('m,trunk="odd f=1 1\nm f=2 2')
    expect(points.map(({ time }) => time)).toEqual([1n, 2n])
    expect(points[0]?.tags.get('trunk')).toBe('"odd')
  })

  test('keeps a backslash before a character that needs no escape', () => {
    const point = only('a\\=b,t\\x=c\\\\\\ d k="C:\\temp"')
    expect(point?.measurement).toBe('a\\=b')
    expect(plain(point?.tags)).toEqual({ 't\\x': 'c\\\\ d' })
    expect(plain(point?.fields)).toEqual({ k: 'C:\\temp' })
  })

  test.each([
    ['1', 1],
    ['-0.5', -0.5],
    ['.5', 0.5],
    ['5.', 5],
    ['1e3', 1000],
    ['1.25E-2', 0.0125],
    ['-7i', -7],
    ['7u', 7],
    ['9223372036854775807i', 2 ** 63],
    ['18446744073709551615u', 2 ** 64],
    ['t', true],
    ['T', true],
    ['true', true],
    ['True', true],
    ['TRUE', true],
    ['f', false],
    ['F', false],
    ['false', false],
    ['False', false],
    ['FALSE', false],
    ['""', ''],
    ['"true"', 'true'],
    ['"\\\\"', '\\'],
  ])('may have the field value %s', (fieldText, value) => {
    expect(plain(only(`m f=${fieldText},g=1 5`)?.fields)).toEqual({ f: value, g: 1 })
  })

  test('has the last value of a field that occurs twice', () => {
    expect(plain(only('m f=1,f=2')?.fields)).toEqual({ f: 2 })
  })

  test('may have a name that is special in JavaScript', () => {
    const point = only('m,__proto__=x __proto__="y",constructor=1')
    expect(Object.entries(plain(point?.tags))).toEqual([['__proto__', 'x']])
    expect(Object.entries(plain(point?.fields))).toEqual([
      ['__proto__', 'y'],
      ['constructor', 1],
    ])
  })
})

describe('a body', () => {
  test('may contain comments, empty lines, and CRLF', () => {
    const { points, rejected } = parse('# comment\r\n\r\nm f=1 1\r\n  \r\nm f=2 2')
    expect(rejected).toEqual([])
    expect(points.map(({ line }) => line)).toEqual([3, 5])
    expect(parse('m f="a"\r\nm f=true\r\n').points.map(({ fields }) => fields.get('f'))).toEqual(['a', true])
  })

  test('does not treat a quote after the timestamp as the start of a string', () => {
    const { points, rejected } = parse('m f=1 x="a\nm f=2 2\nm f=3 "')
    expect(points.map(({ line }) => line)).toEqual([2])
    expect(rejected.map(({ line }) => line)).toEqual([1, 3])
  })

  test('yields its valid lines and names the others', () => {
    const { points, rejected } = parse('m f=1 1\nnonsense\nm f=2 2\nm f= 3\nm f=3 3')
    expect(points.map(({ time }) => time)).toEqual([1n, 2n, 3n])
    expect(rejected.map(({ line }) => line)).toEqual([2, 4])
  })

  test('yields the points after an unclosed string', () => {
    const { points, rejected } = parse('m f="never closed 1\nm f=2 2\nm f=3 3')
    expect(points.map(({ time }) => time)).toEqual([2n, 3n])
    expect(rejected).toEqual([{ line: 1, text: 'm f="never closed 1', reason: 'a text is not closed' }])
  })

  test('yields the points after an unclosed string if another string follows', () => {
    const { points, rejected } = parse('m f="open 1\nm f="a",g="b" 2\nm f="path\\" 3\nm f="two\nlines" 4')
    expect(points.map(({ time, line }) => [time, line])).toEqual([
      [2n, 2],
      [4n, 4],
    ])
    expect(rejected.map(({ line, reason }) => [line, reason])).toEqual([
      [1, 'a text is not closed'],
      [3, 'a text is not closed'],
    ])
  })

  test('yields no point from inside a string of a rejected line', () => {
    const { points, rejected } = parse('m bad=undefined,f="two\nm f=1 1\nlines" 2\nm f=3 3')
    expect(points.map(({ time }) => time)).toEqual([3n])
    expect(rejected.map(({ line }) => line)).toEqual([1])
  })

  test('has comments that end with their line, even if they contain quotes', () => {
    expect(parse(' # a b="c\nm f=", x" 1').points.map(({ time }) => time)).toEqual([1n])
  })

  test('reports only the beginning of a long line and of its reason', () => {
    const [rejected] = parse(`m ${'k'.repeat(500)}=${'v'.repeat(500)}`).rejected
    expect(rejected?.text).toBe(`m ${'k'.repeat(118)}`)
    expect(rejected?.reason.length).toBeLessThan(120)
  })

  test.each([
    ['texts left open to the end', 50_000, (size: number) => 'm f=",",g="\n'.repeat(size)],
    ['texts left open', 50_000, (size: number) => 'm f="a",g="\n'.repeat(size)],
    ['texts left open until a stray quote', 50_000, (size: number) => `${'m f="a",g="\n'.repeat(size)}"x`],
    ['a number that goes wrong at its end', 200_000, (size: number) => `m f=${'1'.repeat(size)}x`],
    ['one long text', 500_000, (size: number) => `m f="${'x\\"'.repeat(size)}"`],
    ['nothing but refused lines', 300_000, (size: number) => 'x\n'.repeat(size)],
  ])('takes linear time: %s', (_name, size, body) => {
    expect(growth(body, size, parse)).toBeLessThan(64)
  })
})

test.each([
  ['m', 'there are no fields'],
  ['m,t=1', 'there are no fields'],
  [',t=1 f=1', 'there is no measurement'],
  ['m,t f=1', 'a tag has no value'],
  ['m,t= f=1', 'tag t has no value'],
  ['m,=x f=1', 'a tag has no name'],
  ['m,t=1,t=2 f=1', 'tag t is duplicated'],
  ['m f', 'field f has no value'],
  ['m f=', 'field f has no value'],
  ['m =1', 'a field has no name'],
  ['m f=undefined', 'field f has the invalid value undefined'],
  ['m f=null', 'field f has the invalid value null'],
  ['m f=Infinity', 'field f has the invalid value Infinity'],
  ['m f=0x10', 'field f has the invalid value 0x10'],
  ['m f=1.5i', 'field f has the invalid value 1.5i'],
  ['m f=-1u', 'field f has the invalid value -1u'],
  ['m f=9223372036854775808i', 'field f has the invalid value 9223372036854775808i'],
  ['m f=18446744073709551616u', 'field f has the invalid value 18446744073709551616u'],
  [`m f=${'1'.repeat(400)}i`, `field f has the invalid value ${'1'.repeat(40)}`],
  ['m f=tRUE', 'field f has the invalid value tRUE'],
  ['m f=1,', 'a field has no name'],
  ['m ', 'there are no fields'],
  ['m,t=a\\,u=b f=1', 'tag t holds an equals sign without a backslash'],
  ['m f=1 9223372036854775808', 'the timestamp is out of range'],
  ['m f=1 1 2', 'the timestamp 1 2 is invalid'],
  ['m f=NaN', 'field f has the invalid value NaN'],
  ['m f=1e999', 'field f has the invalid value 1e999'],
  ['m f=1 tomorrow', 'the timestamp tomorrow is invalid'],
  ['m f=1 99999999999999999999', 'the timestamp 99999999999999999999 is invalid'],
  ['m f="x"y 1', 'something follows the fields that is no timestamp'],
])('%j is rejected: %s', (line, reason) => {
  expect(parse(line)).toMatchObject({ points: [], rejected: [{ line: 1, reason }] })
})

/** Random numbers with a fixed seed, so that failures are reproducible. */
const random = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}

const escaped = (text: string) => text.replace(/[, =]/g, '\\$&')

test('parses random points that were written with escapes', () => {
  const next = random(7)
  const alphabet = ['a', 'Z', '0', ' ', ',', '=', 'ü', '.', '"', '☎']
  const word = () =>
    `w${Array.from({ length: Math.floor(next() * 6) }, () => alphabet[Math.floor(next() * 10)]).join('')}`
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

test('rejects timestamps that do not fit into 64 bits of nanoseconds', () => {
  expect(only('m f=1 -9223372036854775808')?.time).toBe(-(2n ** 63n))
  expect(parse('m f=1 9223372036855', 'ms').rejected).toMatchObject([{ reason: 'the timestamp is out of range' }])
})

test('does not throw on random input', () => {
  const next = random(11)
  const bytes = ['m', ' ', ',', '=', '"', '\\', '\n', '\r', '1', 'i', '#', '\0', '\u{1F4DE}', 't', '-', '.', 'e']
  for (let round = 0; round < 3000; round += 1) {
    const body = Array.from({ length: Math.floor(next() * 40) }, () => bytes[Math.floor(next() * bytes.length)]).join(
      '',
    )
    const { points, rejected } = parse(body)
    const lines = [...points, ...rejected].map(({ line }) => line)
    expect(new Set(lines).size).toBe(lines.length)
    expect(Math.max(0, ...lines)).toBeLessThanOrEqual(body.split('\n').length)
  }
})
