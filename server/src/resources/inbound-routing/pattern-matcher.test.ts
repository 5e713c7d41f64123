import { expect, test } from 'vitest'
import { createPatternMatcher } from './pattern-matcher.ts'

const number = '1'.repeat(100)

test.each([
  ['15083*', '15083084809', 'matched'],
  ['^1508[0-9]{3}.*9$', '15083084809', 'matched'],
  ['^44', '15083084809', 'unmatched'],
  ['(', '15083084809', 'invalid'],
  ['(+)(+)', '15083084809', 'invalid'],
])('pattern %s and number %s: %s', (pattern, called, match) => {
  expect(createPatternMatcher()(pattern, called)).toBe(match)
})

test('returns invalid for a pattern with exponential backtracking', () => {
  expect(createPatternMatcher()('(1+)+x', number)).toBe('invalid')
})

test('shares one time limit between all patterns of a call', () => {
  const matcher = createPatternMatcher(20)
  expect(matcher('(1+)+x', number)).toBe('invalid')
  expect([matcher('(1+)+x', number), matcher('1+2*', number), matcher('^1', number)]).toEqual([
    'invalid',
    'invalid',
    'matched',
  ])
})
