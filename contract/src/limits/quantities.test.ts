import { expect, test } from 'vitest'
import { isQuantity, isUnlimited } from './quantities.ts'

test('PROVIDERS-08 requires a limit to be a whole number that fits the column', () => {
  for (const quantity of [0, 1, 2_147_483_647]) expect(isQuantity(quantity)).toBe(true)
  for (const quantity of [-1, 0.5, 2_147_483_648, Number.NaN, Number.POSITIVE_INFINITY])
    expect(isQuantity(quantity)).toBe(false)
})

test('PROVIDERS-10 treats a missing limit and a limit of 0 as unlimited', () => {
  expect([null, 0, 1].map(isUnlimited)).toEqual([true, true, false])
})
