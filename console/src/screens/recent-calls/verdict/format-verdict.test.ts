import { expect, test } from 'vitest'
import { listSources, toDatePreset } from './format-verdict.ts'

test('lists the call data that the verdict includes', () => {
  expect(
    listSources([
      { name: 'trace', state: 'loading' },
      { name: 'logs', state: 'checked' },
      { name: 'alerts', state: 'loading' },
    ]),
  ).toBe('Checking trace and alerts…')
  expect(
    listSources([
      { name: 'trace', state: 'checked' },
      { name: 'logs', state: 'empty' },
      { name: 'SIP', state: 'failed' },
      { name: 'alerts', state: 'checked' },
    ]),
  ).toBe('Checked: record, trace, and alerts. No data: logs. Could not be loaded: SIP.')
  expect(listSources([])).toBe('Checked: record.')
})

test('returns the shortest date range that contains a time', () => {
  const now = new Date(2026, 10, 21, 13).getTime()
  const daysAgo = (days: number) => new Date(now - days * 86_400_000).toISOString()
  expect([0, 0.4, 1, 8, 20, 90].map((days) => toDatePreset(daysAgo(days), now))).toEqual([
    undefined,
    undefined,
    '7',
    '14',
    '30',
    '30',
  ])
})
