import { expect, test } from 'vitest'
import { chartScale } from './chart-scale.ts'

test.each([
  [0, [1]],
  [1, [1]],
  [2, [2, 1]],
  [4, [4, 2]],
  [7, [10, 5]],
  [22, [30, 20, 10]],
  [281, [300, 200, 100]],
  [1_001, [1_500, 1_000, 500]],
])('a chart up to %i has lines at %j', (highest, lines) => {
  expect(chartScale(highest)).toEqual({ top: lines[0], lines })
})
