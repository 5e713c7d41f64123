import { expect, test } from 'vitest'
import { ApiError } from '../../../api/api-error.ts'
import { mapWithConcurrency, chunk, retryWhenBusy } from './map-with-concurrency.ts'

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

test('retries after 429 and fails on any other error', async () => {
  let tries = 0
  const createError = (status: number) => new ApiError('rejected', status, 'no')
  const busy = () => ((tries += 1) < 3 ? Promise.reject(createError(429)) : Promise.resolve('done'))
  await expect(retryWhenBusy(busy, 0)).resolves.toBe('done')
  expect(tries).toBe(3)
  await expect(retryWhenBusy(() => Promise.reject(createError(400)), 0)).rejects.toMatchObject({ status: 400 })
})

test('splits items into chunks', () => {
  expect(chunk([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]])
  expect(chunk([], 2)).toEqual([])
})
