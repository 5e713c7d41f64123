import { expect, test } from 'vitest'
import { checkRegExps, expressionsIn } from './regexps.mjs'

const check = (text) => checkRegExps(expressionsIn('planted.ts', text))

test.each([
  ['exponential', String.raw`const bad = /^(a+)+$/`, 'exponential'],
  ['quadratic, as in quoted strings', String.raw`text.replace(/"(?:[^"\\]|\\.)*"/g, '')`, 'polynomial of degree 2'],
  ['a search for spaces at the end', String.raw`text.replace(/\s+$/, '')`, 'polynomial of degree 2'],
  ['built of constants', "const part = '(a+)+'\nnew RegExp(`^${part}$`, 'i')", 'exponential'],
  ['built by a call', "const part = String.raw`(\\d+)+`\nRegExp('^' + part + '$')", 'exponential'],
  ['in TSX-like generics', 'const a = <T,>(b: T): boolean => /(x+x+)+y/.test(String(b))', 'exponential'],
])('reports an expression that is %s', (_what, text, fault) => {
  expect(check(text)).toEqual([expect.stringMatching(new RegExp(`^planted.ts:\\d+ .*${fault}`))])
})

test('names the file and the line', () => {
  expect(check('\n\nconst bad = /(a*)*$/\n')).toEqual([expect.stringMatching(/^planted\.ts:3 /)])
})

test('reports a pattern that is not known at build time', () => {
  expect(check('new RegExp(given)')).toEqual(['planted.ts:1 RegExp: its pattern is computed and cannot be checked'])
})

test('accepts expressions that take linear time', () => {
  expect(check('const fine = [/^\\w+@\\w+$/, /^a{1,5}b*$/i, new RegExp("x")]')).toEqual([])
})

test('accepts an exempt expression with a reason, on its line or the one before', () => {
  expect(check('// unchecked-regexp: runs on 10 characters\nnew RegExp(given)')).toEqual([])
  expect(check('const bad = /^(a+)+$/ // unchecked-regexp: runs on 10 characters')).toEqual([])
  expect(check('// unchecked-regexp: ok\nnew RegExp(given)')).toHaveLength(1)
})

test('has the same verdict on a busy machine, where a limit of time found one that is not slow', () => {
  expect(check(String.raw`const separator = /([/\\]{2})[^/\\?#\s"'<>]{1,2000}@/g`)).toEqual([])
})

test('checks an expression once', () => {
  const verdicts = new Map()
  const expressions = expressionsIn('planted.ts', 'const bad = /^(a+)+$/')
  const first = checkRegExps(expressions, verdicts)
  expect([...verdicts.keys()]).toEqual(['/^(a+)+$/'])
  expect(checkRegExps(expressions, verdicts)).toEqual(first)
  expect(checkRegExps(expressions, new Map([['/^(a+)+$/', '']]))).toEqual([])
})
