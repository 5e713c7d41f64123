import { expect, test } from 'vitest'
import { createMemoryRates } from './memory-store.ts'

test('starts a window with the first request and does not extend it', async () => {
  let now = 0
  const rates = createMemoryRates(() => now)
  expect(await rates.hit('a', 1000)).toEqual({ count: 1, milliseconds: 1000 })
  now = 600
  expect(await rates.hit('a', 1000)).toEqual({ count: 2, milliseconds: 400 })
  expect(await rates.hit('b', 1000)).toEqual({ count: 1, milliseconds: 1000 })
  now = 1000
  expect(await rates.hit('a', 1000)).toEqual({ count: 1, milliseconds: 1000 })
})

test('evicts the least recent callers above the limit', async () => {
  const rates = createMemoryRates(() => 0, 2)
  await rates.hit('a', 1000)
  await rates.hit('b', 1000)
  await rates.hit('a', 1000)
  await rates.hit('c', 1000)
  expect((await rates.hit('a', 1000)).count).toBe(3)
  expect((await rates.hit('b', 1000)).count).toBe(1)
})
