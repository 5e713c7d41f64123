import { expect, test } from 'vitest'
import { hasTick } from './chart-ticks.ts'

test.each([
  [1, []],
  [7, [0, 2, 4]],
  [24, [0, 6, 12, 18]],
  [30, [0, 8, 16]],
  [90, [0, 23, 46, 69]],
])('a chart of %i periods has texts at %j', (count, positions) => {
  expect(Array.from({ length: count }, (_, at) => at).filter((at) => hasTick(at, count))).toEqual(positions)
})
