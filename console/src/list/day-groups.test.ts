import { expect, test } from 'vitest'
import { toDayGroup } from './day-groups.tsx'

const at = new Date('2026-11-21T14:03:07.900Z')

test.each([
  ['2026-11-21T23:59:59Z', 'UTC', { name: 'Today', note: 'Saturday, November 21' }],
  ['2026-11-22T00:00:00Z', 'UTC', { name: 'Yesterday', note: 'Saturday, November 21' }],
  ['2026-11-21T14:30:00Z', 'Pacific/Kiritimati', { name: 'Today', note: 'Sunday, November 22' }],
  ['2026-11-23T00:00:00Z', 'UTC', { name: 'Saturday, November 21' }],
  ['2027-11-21T00:00:00Z', 'UTC', { name: 'Saturday, November 21, 2026' }],
])('at %s in %s the day is %j', (now, timeZone, expected) => {
  expect(toDayGroup(at, new Date(now), { timeZone, clock: '24' })).toEqual(expected)
})
