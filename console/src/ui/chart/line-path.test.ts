import { expect, test } from 'vitest'
import { toLinePath, toPointsPath } from './line-path.ts'

test('a line passes through the middle of each period, with zero at the bottom', () => {
  expect(toLinePath([0, 50, 100], 100)).toBe('M0.5 100L1.5 50L2.5 0')
})

test('a line is interrupted where nothing was measured', () => {
  expect(toLinePath([undefined, 1, 2, undefined, 4], 4)).toBe('M1.5 75L2.5 50M4.5 0')
})

test('a short line has a point at each value', () => {
  expect(toPointsPath([1, undefined, 2], 2)).toBe('M0.5 50h0M2.5 0h0')
})

test('a long line has a point only where no line leads to the value', () => {
  const values = Array.from({ length: 40 }, (_, at) => (at === 10 || at > 37 ? 1 : undefined))
  expect(toPointsPath(values, 2)).toBe('M10.5 50h0')
})
