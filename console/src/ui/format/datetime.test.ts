import { expect, test } from 'vitest'
import { lastUsedText, momentText, relativeText, toDate, tooltipLines, written } from './datetime.ts'

const at = new Date('2026-11-21T14:03:07.900Z')
const text = (moment: Date, timeZone: string, clock: '12' | '24' = '24') =>
  Object.values(written(moment, { timeZone, clock })).join(' ')

test.each([null, undefined, '', 0, '0', '7', 'soon', '0000-00-00 00:00:00', Number.NaN, '1970-01-01T00:00:00.000Z'])(
  '%j is no time',
  (moment) => {
    expect(toDate(moment)).toBeUndefined()
  },
)

test.each(['2026-11-21T14:03:07.900Z', '2026-11-21T15:03:07.900+01:00', at.getTime()])('%j is a time', (moment) => {
  expect(toDate(moment)).toEqual(at)
})

test.each([
  ['UTC', 'Sat 2026-11-21 14:03:07'],
  ['Europe/Berlin', 'Sat 2026-11-21 15:03:07'],
  ['Asia/Kolkata', 'Sat 2026-11-21 19:33:07'],
  ['Pacific/Kiritimati', 'Sun 2026-11-22 04:03:07'],
  ['Pacific/Honolulu', 'Sat 2026-11-21 04:03:07'],
])('in %s it is %s', (timeZone, expected) => {
  expect(text(at, timeZone)).toBe(expected)
})

test('local time is that of the machine', () => {
  const machine = Intl.DateTimeFormat().resolvedOptions().timeZone
  expect(text(at, 'local')).toBe(text(at, machine))
})

test.each([
  ['00:00:00', '12:00:00 AM'],
  ['00:59:59', '12:59:59 AM'],
  ['09:05:00', '09:05:00 AM'],
  ['12:00:00', '12:00:00 PM'],
  ['23:59:59', '11:59:59 PM'],
])('%s is %s on a clock of twelve hours', (time, expected) => {
  expect(text(new Date(`2026-11-21T${time}Z`), 'UTC', '12')).toBe(`Sat 2026-11-21 ${expected}`)
})

test('midnight of another zone is 00, on the new day', () => {
  expect(text(new Date('2026-11-20T23:00:00Z'), 'Europe/Berlin')).toBe('Sat 2026-11-21 00:00:00')
})

test('adds the UTC offset to an hour that occurs twice', () => {
  const twice = ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'].map((moment) =>
    tooltipLines(new Date(moment), { timeZone: 'Europe/Berlin', clock: '24' }),
  )
  expect(twice).toEqual([
    ['Sun 2026-10-25 02:30:00 Europe/Berlin', 'Sun 2026-10-25 00:30:00 UTC'],
    ['Sun 2026-10-25 02:30:00 Europe/Berlin', 'Sun 2026-10-25 01:30:00 UTC'],
  ])
})

test('in UTC a tip says the time once', () => {
  expect(tooltipLines(at, { timeZone: 'UTC', clock: '24' })).toEqual(['Sat 2026-11-21 14:03:07 UTC'])
})

test('the local time comes with its offset', () => {
  expect(tooltipLines(at, { timeZone: 'local', clock: '24' })[0]).toMatch(/ UTC[+-]\d\d:\d\d$/)
})

test.each([
  [-59_000, 'just now'],
  [-60_000, '1 minute ago'],
  [-7_200_000, '2 hours ago'],
  [3_600_000, 'in 1 hour'],
  [-86_400_000, '1 day ago'],
  [-47 * 3_600_000, '1 day ago'],
  [47 * 3_600_000, 'in 1 day'],
  [3 * 86_400_000, 'in 3 days'],
  [-30 * 86_400_000, '1 month ago'],
  [-400 * 86_400_000, '1 year ago'],
  [-710 * 86_400_000, '1 year ago'],
])('%d ms from now reads "%s"', (elapsed, expected) => {
  expect(relativeText(new Date(at.getTime() + elapsed), at)).toBe(expected)
})

test.each([
  ['2026-11-21T00:00:00Z', 'Today'],
  ['2026-11-21T23:59:59Z', 'Today'],
  ['2026-11-20T23:59:59Z', 'Yesterday'],
  ['2026-11-19T00:00:00Z', '2 days ago'],
  ['2025-11-21T14:03:07Z', '365 days ago'],
  ['2026-11-22T00:00:00Z', 'Never used'],
  [undefined, 'Never used'],
])('APIKEYS-03 at %s is %s by the days of the calendar', (moment, expected) => {
  expect(lastUsedText(moment === undefined ? undefined : new Date(moment), at, { timeZone: 'UTC', clock: '24' })).toBe(
    expected,
  )
})

test('APIKEYS-03 the days are those of the chosen zone', () => {
  const late = new Date('2026-11-20T23:30:00Z')
  expect(lastUsedText(late, at, { timeZone: 'UTC', clock: '24' })).toBe('Yesterday')
  expect(lastUsedText(late, at, { timeZone: 'Europe/Berlin', clock: '24' })).toBe('Today')
})

test.each([
  ['2026-11-21T15:30:00Z', 'Today, 14:03:07'],
  ['2026-11-22T00:00:00Z', 'Yesterday, 14:03:07'],
  ['2026-11-23T00:00:00Z', 'Nov 21, 14:03'],
  ['2026-11-20T23:00:00Z', 'Nov 21, 14:03'],
  ['2027-01-01T00:00:00Z', 'Nov 21, 2026, 14:03'],
])('at %s a sentence says %s', (now, expected) => {
  expect(momentText(at, new Date(now), { timeZone: 'UTC', clock: '24' })).toBe(expected)
})

test('a sentence says the half of the day on a clock of twelve hours', () => {
  const later = new Date('2026-11-25T00:00:00Z')
  expect(momentText(at, later, { timeZone: 'UTC', clock: '12' })).toBe('Nov 21, 02:03 PM')
})
