import { describe, expect, test } from 'vitest'
import { dates } from './date-presets.ts'
import { toDateRange } from '../list/date-preset-range.ts'

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
})
