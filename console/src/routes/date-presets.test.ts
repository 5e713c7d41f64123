import { describe, expect, test } from 'vitest'
import { toDateRange } from '../list/date-preset-range.ts'
import { dates } from './date-presets.ts'

describe('the dates of what happened', () => {
  test('COMMON-34 the dates are today, yesterday and the last 7, 14 and 30 days', () => {
    expect(dates).toEqual(['today', 'yesterday', '7', '14', '30'])
  })

  test('a day is the local day; more days are a rolling window', () => {
    const now = new Date(2026, 10, 21, 13, 5)
    const start = new Date(2026, 10, 21).toISOString()
    expect(toDateRange('today', now)).toEqual({ start })
    expect(toDateRange('yesterday', now)).toEqual({
      start: new Date(2026, 10, 20).toISOString(),
      end: new Date(new Date(2026, 10, 21).getTime() - 1).toISOString(),
    })
    expect(toDateRange('14', now)).toEqual({ days: '14' })
  })

  test.each([
    ['UTC', '2026-11-21T23:30:00Z', '2026-11-21T00:00:00.000Z', '2026-11-20T00:00:00.000Z'],
    ['Europe/Berlin', '2026-11-21T23:30:00Z', '2026-11-21T23:00:00.000Z', '2026-11-20T23:00:00.000Z'],
    // The day of the change to winter time has 25 hours, and that of the change to summer time 23.
    ['Europe/Berlin', '2026-10-26T12:00:00Z', '2026-10-25T23:00:00.000Z', '2026-10-24T22:00:00.000Z'],
    ['Europe/Berlin', '2026-03-30T12:00:00Z', '2026-03-29T22:00:00.000Z', '2026-03-28T23:00:00.000Z'],
    ['Asia/Kolkata', '2026-11-21T18:40:00Z', '2026-11-21T18:30:00.000Z', '2026-11-20T18:30:00.000Z'],
  ])('a day is that of the chosen time zone %s at %s', (timeZone, now, today, yesterday) => {
    const at = new Date(now)
    expect(toDateRange('today', at, { timeZone })).toEqual({ start: today })
    const end = new Date(Date.parse(today) - 1).toISOString()
    expect(toDateRange('yesterday', at, { timeZone })).toEqual({ start: yesterday, end })
  })
})
