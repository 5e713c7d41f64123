import { describe, expect, test } from 'vitest'
import { dates } from './dates.ts'
import { dateHolding, periodOf } from './periods.ts'

describe('the dates of what happened', () => {
  test('COMMON-34 the dates are today, yesterday and the last 7, 14 and 30 days', () => {
    expect(dates).toEqual(['today', 'yesterday', '7', '14', '30'])
  })

  test('a day is the local day; more days are a rolling window', () => {
    const now = new Date(2026, 10, 21, 13, 5)
    const start = new Date(2026, 10, 21).toISOString()
    expect(periodOf('today', now)).toEqual({ start })
    expect(periodOf('yesterday', now)).toEqual({
      start: new Date(2026, 10, 20).toISOString(),
      end: new Date(new Date(2026, 10, 21).getTime() - 1).toISOString(),
    })
    expect(periodOf('14', now)).toEqual({ days: '14' })
  })

  test('the least date that holds a period is the one to look in', () => {
    const now = new Date(2026, 10, 21, 13, 5)
    const at = (day: number, hour: number) => new Date(2026, 10, day, hour).getTime()
    expect(dateHolding(at(21, 8), at(21, 9), now)).toBe('today')
    expect(dateHolding(at(20, 8), at(20, 9), now)).toBe('yesterday')
    expect(dateHolding(at(20, 23), at(21, 1), now)).toBe('7')
    expect(dateHolding(at(8, 1), at(8, 3), now)).toBe('14')
    expect(dateHolding(at(1, 1), at(1, 3), now)).toBe('30')
    expect(dateHolding(at(-20, 1), at(-20, 3), now)).toBeUndefined()
  })
})
