import { expect, test } from 'vitest'
import { findJsonError, lineAndColumn, parseJsonPositions } from './json-positions.ts'

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test.each([
  ['', 0],
  ['  ', 2],
  ['<html>', 0],
  [' x', 1],
  ['[1,2', 4],
  ['[1,]', 3],
  ['[1 2]', 3],
  ['[}', 1],
  ['{"a":1,}', 7],
  ['{"a" 1}', 5],
  ['{a:1}', 1],
  ['{"a":', 5],
  ['{"a":1]', 6],
  ['{"a":"two\nlines"}', 5],
  ['{"\\x":1}', 1],
  ['[01]', 2],
  ['[1.]', 1],
  ['[tru]', 1],
  ['[]]', 2],
  ['[] []', 3],
  ['"open', 0],
  ['[[[]]', 5],
])('reports %j as invalid JSON from offset %i', (text, at) => {
  expect([isJson(text), findJsonError(text)?.at]).toEqual([false, at])
})

test.each([
  ['null'],
  [' [ ] '],
  ['{ }'],
  ['[[],{},[{}]]'],
  ['{"a":{"b":[1,-0.5e+3,"\\u00e9\\n",true]},"":false}'],
  [`${'['.repeat(100_000)}${']'.repeat(100_000)}`],
])('accepts as JSON: %.40s', (text) => {
  expect([isJson(text), findJsonError(text)]).toEqual([true, undefined])
})

test('records property names and array items', () => {
  const text = '[\n  {"verb": "say", "text": [1, {"a\\"b": 2}]},\n  {"gather": {"say": {}}}\n]'
  const at = parseJsonPositions(text)
  const from = (path: (string | number)[]) => text.slice(at(path)).slice(0, 8)
  expect(at([])).toBe(0)
  expect(from([0])).toBe('{"verb":')
  expect(from([0, 'text'])).toBe('"text": ')
  expect(from([0, 'text', 1])).toBe('{"a\\"b":')
  expect(from([0, 'text', 1, 'a"b'])).toBe('"a\\"b": ')
  expect(from([1, 'gather', 'say'])).toBe('"say": {')
  expect([at([2]), at([1, 'say']), at(['0'])]).toEqual([undefined, undefined, undefined])
  expect(lineAndColumn(text, at([1, 'gather', 'say']) ?? 0)).toEqual({ line: 3, column: 15 })
})

test('uses the last of two properties with the same name, like JSON.parse', () => {
  const text = '{"a":[0],"a":[0,1]}'
  const at = parseJsonPositions(text)
  expect([at(['a']), at(['a', 1])]).toEqual([9, 16])
})

test('records no offsets below the maximum depth', () => {
  const at = parseJsonPositions('[[[1]]]', 2)
  expect([at([0, 0]), at([0, 0, 0])]).toEqual([2, undefined])
})

test.each([
  ['[1', 'Not JSON: unexpected end', 2],
  ['["a]', 'Not JSON: a quotation mark is unclosed or misplaced', 1],
  ['[1 "a"]', 'Not JSON: a comma is missing before this quotation mark, or it is misplaced', 3],
  ['{"verb":"say" "text":"hi"}', 'Not JSON: a comma is missing before this quotation mark, or it is misplaced', 14],
  ['[1,]', 'Not JSON: unexpected "]"', 3],
  ['[-1.]', 'Not JSON: a number is incomplete', 1],
  ['[1, // one', 'Not JSON: unexpected "/"', 4],
])('%j: %s, at %i', (text, message, at) => {
  expect(findJsonError(text)).toEqual({ message, at })
})

test('finds no error in valid JSON', () => {
  expect(findJsonError('[{"verb":"hangup"}]')).toBeUndefined()
})

test('survives JSON that is nested deeper than the call stack', () => {
  const text = '['.repeat(100_000)
  expect(findJsonError(text)?.message).toBe('Not JSON: unexpected end')
  const at = parseJsonPositions(`${text}${']'.repeat(100_000)}`)
  expect([at([]), at([0, 0])]).toEqual([0, 2])
})
