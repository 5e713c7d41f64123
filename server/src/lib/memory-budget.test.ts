import { expect, test } from 'vitest'
import { createBudget } from './memory-budget.ts'

test('a budget rejects large reservations while small ones still fit', () => {
  const claim = createBudget(32)
  const large = Array.from({ length: 4 }, () => claim().take(8))
  expect(large).toEqual([true, true, true, false])
  const small = Array.from({ length: 8 }, () => claim().take(1))
  expect(small).toEqual([true, true, true, true, true, true, true, false])
})

test('a budget frees released memory exactly once', () => {
  const claim = createBudget(8)
  const first = claim()
  expect(first.take(4)).toBe(true)
  expect(claim().take(4)).toBe(false)
  first.release()
  first.release()
  expect([claim().take(4), claim().take(4)]).toEqual([true, false])
})

test('a reservation counts the sum of its parts', () => {
  const { take } = createBudget(16)()
  expect([take(4), take(4), take(1)]).toEqual([true, true, false])
})

test('room returns the bytes that can be taken now', () => {
  const claim = createBudget(16)
  const { room, take } = claim()
  expect(room()).toBe(8)
  take(3)
  expect(room()).toBe(5)
  claim().take(1)
  expect(take(room())).toBe(true)
  expect(room()).toBeLessThanOrEqual(0)
})
