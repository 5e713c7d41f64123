import { expect, test } from 'vitest'
import { getRefreshIntervalMs, toFilterParam } from './call-filters.ts'

test('the number filter is sent as entered, or escaped for a server that reads it as a regular expression', () => {
  const odd = '+44 (77).*?[0]{1}^$|\\/'
  expect(toFilterParam(odd, true)).toBe(odd)
  expect(new RegExp(toFilterParam(odd, false)).test(`x${odd}x`)).toBe(true)
  expect(toFilterParam('+4477', false)).toBe('4477')
  expect(toFilterParam('0044 (0)77 5550', true)).toBe('44775550')
  expect(toFilterParam('sip:+15085551079@carrier.example', true)).toBe('15085551079')
  expect(toFilterParam('+1 (508) 555-1079', true)).toBe('15085551079')
  expect(toFilterParam('a/b', false)).toBe('a\\/b')
})

test('a list refreshes every 15 s, a search every minute, and a past period not at all', () => {
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
  expect(getRefreshIntervalMs({})).toBe(15_000)
  expect(getRefreshIntervalMs({ date: '7', trunk: 'Twilio' })).toBe(15_000)
  expect(getRefreshIntervalMs({ filter: '508' })).toBe(60_000)
  expect(getRefreshIntervalMs({ number: '508' })).toBe(60_000)
  expect(getRefreshIntervalMs({ date: 'yesterday' })).toBe(false)
  expect(getRefreshIntervalMs({ from: day(9), until: day(2), filter: '508' })).toBe(false)
  expect(getRefreshIntervalMs({ from: day(9), until: day(0) })).toBe(15_000)
  expect(getRefreshIntervalMs({ from: day(9) })).toBe(15_000)
})
