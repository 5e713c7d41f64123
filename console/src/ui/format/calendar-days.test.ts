import { expect, test } from 'vitest'
import { startOfDay } from './calendar-days.ts'

test.each([
  ['UTC', '2026-11-30T00:00:00.999Z', '2026-11-30T00:00:00.000Z'],
  ['Asia/Kathmandu', '2026-11-30T20:00:00Z', '2026-11-30T18:15:00.000Z'],
  ['America/New_York', '2026-03-08T20:00:00Z', '2026-03-08T05:00:00.000Z'],
  ['America/New_York', '2026-11-01T20:00:00Z', '2026-11-01T04:00:00.000Z'],
  // The clock skips midnight.
  ['America/Santiago', '2026-09-06T12:00:00Z', '2026-09-06T04:00:00.000Z'],
  ['America/Havana', '2026-03-08T12:00:00Z', '2026-03-08T05:00:00.000Z'],
  ['Africa/Cairo', '2026-04-24T12:00:00Z', '2026-04-23T22:00:00.000Z'],
  // Midnight comes twice.
  ['America/Havana', '2026-11-01T12:00:00Z', '2026-11-01T04:00:00.000Z'],
])('a day in %s, of which %s is a part, begins at %s', (timeZone, now, start) => {
  expect(startOfDay(new Date(now), 0, timeZone).toISOString()).toBe(start)
})

test('a day before is counted by the calendar, over a change of the clock', () => {
  const start = startOfDay(new Date('2026-09-07T12:00:00Z'), 1, 'America/Santiago')
  expect(start.toISOString()).toBe('2026-09-06T04:00:00.000Z')
})
