import { expect, test } from 'vitest'
import { listDays, toDayPeriods } from './day-periods.ts'

test('a period has all of its days, also over the end of a month and the change of the clock', () => {
  expect(listDays({ from: '2026-10-24', until: '2026-10-26' })).toEqual(['2026-10-24', '2026-10-25', '2026-10-26'])
  expect(listDays({ from: '2026-02-28', until: '2026-03-01' })).toEqual(['2026-02-28', '2026-03-01'])
  expect(listDays({ from: '2026-11-29', until: '2026-11-29' })).toEqual(['2026-11-29'])
})

test('a day has its date below the axis, and its weekday and values in words', () => {
  expect(toDayPeriods(['2026-11-23'], [{ label: 'Median', cells: ['1.06 s'] }])).toEqual([
    { key: '2026-11-23', tick: 'Nov 23', name: 'Mon, Nov 23', description: 'Mon, Nov 23: Median 1.06 s' },
  ])
})
