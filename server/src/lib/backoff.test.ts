import { expect, test } from 'vitest'
import { exponentialBackoffMs } from './backoff.ts'

test('doubles the delay with each failure up to the limit', () => {
  const delays = [1, 2, 3, 4, 5000].map((failures) => exponentialBackoffMs(failures, { firstMs: 30, maxMs: 200 }))
  expect(delays).toEqual([30, 60, 120, 200, 200])
})
