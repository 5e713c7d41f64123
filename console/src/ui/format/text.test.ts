import { expect, test } from 'vitest'
import { countText } from './text.ts'

test.each([
  [520, 520, '520 accounts'],
  [20, 520, '20 of 520 accounts'],
  [1, 1, '1 account'],
  [0, 1, '0 of 1 account'],
  [1000, 100_000, '1,000 of 100,000 accounts'],
])('%i of %i rows are said as %s', (visible, total, text) =>
  expect(countText(visible, total, ['account', 'accounts'])).toBe(text),
)
