import { expect, test } from 'vitest'
import { chartScale, formatScaleCount } from './chart-scale.ts'
import { formatScaleSeconds } from './line-scale.ts'

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

test('the texts of a scale fit its gutter of five characters', () => {
  expect([5, 1_500, 9_999, 20_000, 1_500_000].map(formatScaleCount)).toEqual(['5', '1,500', '9,999', '20K', '1.5M'])
  expect([20, 50, 100, 500, 1_000, 1_500, 20_000].map(formatScaleSeconds)).toEqual([
    '20 ms',
    '50 ms',
    '0.1 s',
    '0.5 s',
    '1 s',
    '1.5 s',
    '20 s',
  ])
})
