import { expect, test } from 'vitest'
import { parseExpiry } from './key-expiry.ts'

const now = Date.parse('2026-11-22T12:00:00Z')

test('a key ends never, after so many days, or when a day is over', () => {
  expect(parseExpiry('', '', now)).toEqual({ at: null })
  expect(parseExpiry('30', '', now)).toEqual({ at: '2026-12-22T12:00:00.000Z' })
  expect(parseExpiry('day', '2027-01-31', now)).toEqual({ at: new Date('2027-01-31T23:59:59').toISOString() })
})

test.each([
  ['', 'Choose a day'],
  ['2026-11-20', 'Choose a day in the future'],
  ['2038-02-01', 'Choose a day before 19 January 2038'],
])('on the day %j: %s', (day, fault) => {
  expect(parseExpiry('day', day, now)).toEqual({ fault })
})
