import type { CallRecord } from '@patchbay/server/call-data/calls/call-record'
import { beforeEach, describe, expect, test } from 'vitest'
import { callDataPlaces } from './call-data.ts'
import { callRecord, nanosecondsAt } from './fixtures.ts'

/** CSV export of all matching calls, which is streamed. */

const start = Date.parse('2026-11-02T10:00:00Z')

describe.each(callDataPlaces)('in %s', async (_place, open) => {
  const { api, storeCalls } = await open()
  let provider: string
  let account_sid: string
  beforeEach(async () => {
    provider = await api.provider()
    account_sid = await api.account(provider)
  })

  const call = (at: number, more: Partial<CallRecord> = {}) =>
    callRecord(account_sid, { service_provider_sid: provider, time: nanosecondsAt(start + at), ...more })

  const table = async (path: string) => {
    const answer = await api.admin.get(path)
    expect(answer.status).toBe(200)
    return answer.text
  }
  const splitLines = (csv: string) => csv.split('\r\n').slice(0, -1)

  test('contains the matching calls, with cells that are safe in a spreadsheet', async () => {
    await storeCalls([
      call(0, { call_sid: 'first', from: '=1+1', termination_reason: 'said "no", twice' }),
      call(1000, { call_sid: 'second', direction: 'outbound', answered: false, sip_status: 486 }),
    ])
    const csv = await table(`/patchbay/accounts/${account_sid}/recent-calls.csv`)
    expect(csv.startsWith('\ufeffattempted_at,account_sid,answered,')).toBe(true)
    const [head = '', second = '', first = '', ...rest] = splitLines(csv)
    expect(rest).toEqual([])
    expect(head.split(',')).toHaveLength(21)
    expect(second).toContain(',second,outbound,')
    expect(first).toContain(`,'=1+1,`)
    expect(first).toContain('"said ""no"", twice"')
    const narrowed = await table(`/patchbay/accounts/${account_sid}/recent-calls.csv?sip_status=486&direction=outbound`)
    expect(splitLines(narrowed)).toHaveLength(2)
    expect(splitLines(await table(`/patchbay/service-providers/${provider}/recent-calls.csv`))).toHaveLength(3)
  })

  test('contains each of many calls once, newest first, including calls with the same time', async () => {
    const many = Array.from({ length: 2500 }, (_, position) =>
      call(Math.floor(position / 700), { call_sid: `call-${position}`, trunk: `trunk ${position}` }),
    )
    await storeCalls(many)
    const [, ...lines] = splitLines(await table(`/patchbay/accounts/${account_sid}/recent-calls.csv`))
    expect(lines).toHaveLength(2500)
    expect(new Set(lines.map((line) => /call-\d+/.exec(line)?.[0])).size).toBe(2500)
    const times = lines.map((line) => line.slice(0, 24))
    expect(times).toEqual(times.toSorted().toReversed())
  })
})
