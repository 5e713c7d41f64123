import { expect, test } from 'vitest'
import { judgeBackups } from './backup-check.ts'

const now = Date.parse('2026-11-26T12:00:00Z')

test.for([
  [34_120, '34 kB'],
  [2 ** 20, '1.0 MB'],
  [3_456 * 2 ** 20, '3,456.0 MB'],
] as const)('a backup of %d bytes is shown as %s', ([size, text]) => {
  const last = { startedAt: now - 60_000, endedAt: now, size }
  const status = { last, isRunning: false, failures: 0, failureReason: null, dueAt: now + 60_000 }
  expect(judgeBackups(status, now)).toMatchObject({
    state: 'ok',
    detail: `Last backup: 2026-11-26 11:59 UTC, ${text}. Next: 2026-11-26 12:01 UTC.`,
  })
})

test('a backup that is late, but not overdue, was due at a time in the past', () => {
  const last = { startedAt: now - 29 * 3_600_000, endedAt: now - 29 * 3_600_000, size: 2 ** 20 }
  const status = { last, isRunning: false, failures: 0, failureReason: null, dueAt: now - 5 * 3_600_000 }
  expect(judgeBackups(status, now)).toMatchObject({
    state: 'ok',
    detail: 'Last backup: 2026-11-25 07:00 UTC, 1.0 MB. The next one was due at 2026-11-26 07:00 UTC.',
  })
})
