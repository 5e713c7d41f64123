import { expect, test } from 'vitest'
import { ApiError } from './api-error.ts'
import { chunk, retryWhenBusy } from './batches.ts'

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
