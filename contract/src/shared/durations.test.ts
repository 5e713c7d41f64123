import { expect, test } from 'vitest'
import { formatClock, formatDurationLong } from './durations.ts'

test.each([
  [0, '00:00', '0 seconds'],
  [1, '00:01', '1 second'],
  [59.9, '00:59', '59 seconds'],
  [60, '01:00', '1 minute'],
  [125, '02:05', '2 minutes 5 seconds'],
  [3599.999, '59:59', '59 minutes 59 seconds'],
  [3600, '1:00:00', '1 hour'],
  [3723, '1:02:03', '1 hour 2 minutes 3 seconds'],
  [360_000, '100:00:00', '100 hours'],
])('%d seconds are %s, in words %s', (seconds, clock, expected) => {
  expect(formatClock(seconds)).toBe(clock)
  expect(formatDurationLong(seconds)).toBe(expected)
})

test('formats a negative number of seconds as 00:00', () => {
  expect(formatClock(-1)).toBe('00:00')
})
