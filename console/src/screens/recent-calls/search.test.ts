import { describe, expect, test } from 'vitest'
import { toFilterParam } from './filter-param.ts'
import { parseCallSearch } from './search.ts'

describe('the address of recent calls', () => {
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
    expect(toFilterParam(odd, true)).toBe(odd)
    expect(new RegExp(toFilterParam(odd, false)).test(`x${odd}x`)).toBe(true)
    expect(toFilterParam('+4477', false)).toBe('\\+4477')
    expect(toFilterParam('+1 (508) 555-1079', true)).toBe('15085551079')
    expect(toFilterParam('a/b', false)).toBe('a\\/b')
  })
})
