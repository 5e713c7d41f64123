import { expect, test } from 'vitest'
import { agoText } from './list-bar.tsx'

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
