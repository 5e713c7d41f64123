import { expect, test } from 'vitest'
import { agoText, countText } from './list-bar.tsx'

test.each([
  [0, 'now'],
  [4_999, 'now'],
  [12_000, '10 s ago'],
  [59_999, '55 s ago'],
  [60_000, '1 min ago'],
  [3_599_999, '59 min ago'],
  [7_200_000, '2 h ago'],
  [-1, 'now'],
])('%i ms ago is said as %s', (milliseconds, text) => expect(agoText(milliseconds)).toBe(text))

test.each([
  [520, 520, '520 accounts'],
  [20, 520, '20 of 520 accounts'],
  [1, 1, '1 account'],
  [0, 1, '0 of 1 account'],
  [1000, 100_000, '1,000 of 100,000 accounts'],
])('%i of %i rows are said as %s', (visible, total, text) =>
  expect(countText(visible, total, ['account', 'accounts'])).toBe(text),
)
