import { dayMs } from '@patchbay/contract/shared/durations'
import { expect, test } from 'vitest'
import { selectExpired } from './retention.ts'

const now = Date.parse('2026-11-26T12:00:00Z')
const backups = [3, 0, 40, 1, 10, 2].map((age) => ({ name: `${age} days`, started_at: now - age * dayMs }))

const getNames = (rule: { keep: number; keepDays: number }, at = now) =>
  selectExpired(backups, rule, at).map(({ name }) => name)

test.each([
  ['the newest', { keep: 4, keepDays: 0 }, ['10 days', '40 days']],
  ['the newest, and those of some days', { keep: 2, keepDays: 7 }, ['10 days', '40 days']],
  ['all young ones', { keep: 1, keepDays: 60 }, []],
  ['one, however old it is', { keep: 1, keepDays: 1 }, ['1 days', '2 days', '3 days', '10 days', '40 days']],
])('keeps %s', (_what, rule, expired) => {
  expect(getNames(rule)).toEqual(expired)
})

test('keeps the newest ones although the clock is wrong', () => {
  expect(getNames({ keep: 6, keepDays: 0 }, now + 10_000 * dayMs)).toEqual([])
  expect(getNames({ keep: 1, keepDays: 0 }, now - 10_000 * dayMs)).toEqual([])
})
