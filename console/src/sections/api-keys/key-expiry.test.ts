import { expect, test } from 'vitest'
import { parseExpiry, suggestExpiry } from './key-expiry.ts'

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

test.each([
  [null, ''],
  ['2026-11-29T12:00:00Z', '7'],
  ['2027-02-20T23:59:59Z', '90'],
  ['2027-02-19T12:00:00Z', '30'],
  ['2030-01-01T00:00:00Z', '365'],
  ['2026-11-23T12:00:00Z', '7'],
])('a key that replaces one of 22 November with the end %j ends %j', (expires_at, end) => {
  expect(suggestExpiry({ created_at: '2026-11-22T12:00:00Z', expires_at })).toBe(end)
})

test('a key that replaces one with an end, but without a time of creation, ends soon', () => {
  expect(suggestExpiry({ created_at: null, expires_at: '2027-01-01T00:00:00Z' })).toBe('7')
})
