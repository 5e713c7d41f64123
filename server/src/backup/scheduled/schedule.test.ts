import { describe, expect, test } from 'vitest'
import { createSchedule } from './schedule.ts'

const listTimes = async (pattern: string, timeZone: string, after: string, count: number): Promise<string[]> => {
  const schedule = await createSchedule(pattern, timeZone)
  const times: string[] = []
  let time = Date.parse(after)
  for (let nth = 0; nth < count; nth += 1) {
    time = schedule(time)
    times.push(new Date(time).toISOString().slice(0, 16))
  }
  return times
}

describe('a schedule', () => {
  test('returns the times of a time zone', async () => {
    expect(await listTimes('30 2 * * *', 'UTC', '2026-11-26T02:30:00Z', 2)).toEqual([
      '2026-11-27T02:30',
      '2026-11-28T02:30',
    ])
    expect(await listTimes('0 2 * * *', 'America/New_York', '2026-11-26T00:00:00Z', 1)).toEqual(['2026-11-26T07:00'])
    expect(await listTimes('0 */6 * * *', 'UTC', '2026-11-26T05:59:59Z', 3)).toEqual([
      '2026-11-26T06:00',
      '2026-11-26T12:00',
      '2026-11-26T18:00',
    ])
  })

  test('has one time a day when daylight saving time begins and ends', async () => {
    // Berlin skips 02:30 on 29 March 2026, and has it twice on 25 October.
    expect(await listTimes('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00:00Z', 3)).toEqual([
      '2026-03-28T01:30',
      expect.stringMatching(/^2026-03-29T01:[03]0$/),
      '2026-03-30T00:30',
    ])
    const october = await listTimes('30 2 * * *', 'Europe/Berlin', '2026-10-24T00:00:00Z', 3)
    expect(october.map((time) => time.slice(0, 10))).toEqual(['2026-10-24', '2026-10-25', '2026-10-26'])
  })

  test.each([
    ['61 2 * * *', 'is not a valid schedule'],
    ['a b c d e', 'is not a valid schedule'],
    ['0 2 30 2 *', 'never occurs'],
  ])('rejects %s, which %s', async (pattern, message) => {
    await expect(createSchedule(pattern, 'UTC')).rejects.toThrow(`BACKUP_SCHEDULE: "${pattern}" ${message}`)
  })
})
