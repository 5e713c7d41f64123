import { expect, test } from 'vitest'
import { getTicks } from './chart-ticks.ts'

test.each([
  [1, []],
  [7, [0, 2, 4]],
  [24, [0, 6, 12, 18]],
  [30, [0, 8, 16]],
  [90, [0, 23, 46, 69]],
])('a chart of %i periods has texts at %j', (count, positions) => {
  expect([...getTicks(count)]).toEqual(positions)
})
