import { expect, test } from 'vitest'
import { mapWithConcurrency } from './map-with-concurrency.ts'

test('processes each item once, in order, with at most four at the same time', async () => {
  let working = 0
  let peak = 0
  const done: number[] = []
  const items = Array.from({ length: 30 }, (_, at) => at)
  const results = await mapWithConcurrency(
    items,
    async (item) => {
      working += 1
      peak = Math.max(peak, working)
      await Promise.resolve()
      working -= 1
      return item * 2
    },
    (count) => done.push(count),
  )
  expect(results).toEqual(items.map((item) => item * 2))
  expect(peak).toBe(4)
  expect(done).toEqual(items.map((item) => item + 1))
})
