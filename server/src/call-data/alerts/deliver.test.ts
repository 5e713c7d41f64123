import { expect, test } from 'vitest'
import { parseRetryAfter } from './deliver.ts'

const now = Date.parse('2026-11-28T12:00:00Z')

test.each([
  ['120', 120_000],
  [' 5 ', 5000],
  ['Sat, 28 Nov 2026 12:01:00 GMT', 60_000],
  [['30', '60'], 30_000],
  ['0', undefined],
  ['-5', undefined],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
  ['Sat, 28 Nov 2026 11:00:00 GMT', undefined],
])('reads Retry-After %j as %s ms', (header, milliseconds) => {
  expect(parseRetryAfter(header, now)).toBe(milliseconds)
})
