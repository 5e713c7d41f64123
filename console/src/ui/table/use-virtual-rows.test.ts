import { expect, test } from 'vitest'
import { windowAt } from './use-virtual-rows.ts'

test.each([
  [0, 7, { start: 0, end: 7 }],
  [0, 5000, { start: 0, end: 200 }],
  [130, 5000, { start: 50, end: 250 }],
  [4999, 5000, { start: 4800, end: 5000 }],
  [4999, 3, { start: 0, end: 3 }],
  [0, 0, { start: 0, end: 0 }],
])('with row %d at the top of %d those that are near are drawn', (top, rows, drawn) =>
  expect(windowAt(top, rows)).toEqual(drawn),
)
