import { expect, test } from 'vitest'
import { isDuration } from './duration.tsx'

test.each([null, undefined, -1, Number.NaN, Number.POSITIVE_INFINITY])('%s is no duration', (seconds) => {
  expect(isDuration(seconds)).toBe(false)
})
