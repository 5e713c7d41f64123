import { expect, test } from 'vitest'
import { formatPercent } from './percent.ts'

test.each([
  [0, '0.0 %'],
  [1 / 3000, '< 0.1 %'],
  [1 / 1000, '0.1 %'],
  [0.415, '41.5 %'],
  [999 / 1000, '99.9 %'],
  [2999 / 3000, '> 99.9 %'],
  [1, '100.0 %'],
])('formats the share %d as %s', (share, text) => {
  expect(formatPercent(share)).toBe(text)
})
