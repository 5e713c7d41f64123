import { expect, test } from 'vitest'
import { toFilterParam } from './call-filters.ts'

test('the number filter is sent as entered, or escaped for a server that reads it as a regular expression', () => {
  const odd = '+44 (77).*?[0]{1}^$|\\/'
  expect(toFilterParam(odd, true)).toBe(odd)
  expect(new RegExp(toFilterParam(odd, false)).test(`x${odd}x`)).toBe(true)
  expect(toFilterParam('+4477', false)).toBe('\\+4477')
  expect(toFilterParam('+1 (508) 555-1079', true)).toBe('15085551079')
  expect(toFilterParam('a/b', false)).toBe('a\\/b')
})
