import { expect, test } from 'vitest'
import { sameTimeBefore } from './same-time-before.ts'

test.each([
  // Clocks went back by an hour on October 25, and forward on March 29.
  ['Europe/Berlin', '2026-10-28T09:15:00Z', '2026-10-21T08:15:00.000Z'],
  ['Europe/Berlin', '2026-04-01T08:15:00Z', '2026-03-25T09:15:00.000Z'],
  ['UTC', '2026-10-28T09:15:00.750Z', '2026-10-21T09:15:00.000Z'],
])('the same time one week before in %s at %s is %s', (timeZone, now, before) => {
  expect(sameTimeBefore(new Date(now), 7, timeZone).toISOString()).toBe(before)
})
