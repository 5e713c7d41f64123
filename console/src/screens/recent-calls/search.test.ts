import { describe, expect, test } from 'vitest'
import { filterSent, periodOf } from './asked.ts'
import { dates, parseCallSearch } from './search.ts'

describe('the address of recent calls', () => {
  test('COMMON-34 the dates are today, yesterday and the last 7, 14 and 30 days', () => {
    expect(dates).toEqual(['today', 'yesterday', '7', '14', '30'])
  })

  test('holds only what it understands', () => {
    expect(
      parseCallSearch({ date: '7', direction: 'inbound', answered: 'true', filter: '+41', page: '3', size: '50' }),
    ).toEqual({
      date: '7',
      direction: 'inbound',
      answered: 'true',
      filter: '+41',
      page: 3,
      size: 50,
    })
    expect(parseCallSearch({ date: '8', direction: 'up', answered: 'maybe', page: '-1', size: '26' })).toEqual({})
  })

  test('a filter goes out as it is, or escaped where it is taken for a regular expression', () => {
    const odd = '+44 (77).*?[0]{1}^$|\\/'
    expect(filterSent(odd, true)).toBe(odd)
    expect(new RegExp(filterSent(odd, false)).test(`x${odd}x`)).toBe(true)
    expect(filterSent('+4477', false)).toBe('\\+4477')
    expect(filterSent('+1 (508) 555-1079', true)).toBe('15085551079')
    expect(filterSent('a/b', false)).toBe('a\\/b')
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
})
