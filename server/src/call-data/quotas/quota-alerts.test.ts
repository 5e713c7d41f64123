import { expect, test } from 'vitest'
import { formatQuotaMessage } from './quota-alerts.ts'

test('a message about a part of a quota states what was reached, because more can be used already', () => {
  const quota = { account_sid: 'a', kind: 'spans', day: 1, limit: 1000 } as const
  expect(formatQuotaMessage(quota, 80)).toBe(
    'The account has used at least 80 % of its quota: 1,000 spans of today (UTC).',
  )
  expect(formatQuotaMessage(quota, 100)).toBe(
    'The account has used all of its quota: 1,000 spans of today (UTC). Further data is not stored.',
  )
})
