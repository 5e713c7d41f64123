import { maxExportsPerTenant } from '@patchbay/server/resources/shared/text-exports'
import { beforeAll, describe, expect, test } from 'vitest'
import { callDataPlaces } from '../call-data.ts'
import { callRecord } from '../fixtures.ts'

/** CSV exports of calls: admitted before the first byte, and complete once admitted. */

/** More than two pages of the export. */
const calls = 10_001

describe.each(callDataPlaces)('from %s', async (_place, open) => {
  const { api, storeCalls } = await open()
  const account_sid = await api.account(await api.provider())
  const path = `/Accounts/${account_sid}/RecentCalls`
  beforeAll(async () => {
    const at = BigInt(Date.now() - 60_000) * 1_000_000n
    const records = Array.from({ length: calls }, (_, index) => callRecord(account_sid, { time: at + BigInt(index) }))
    for (let from = 0; from < calls; from += 1000) await storeCalls(records.slice(from, from + 1000))
  })

  const exportCsv = () =>
    api.admin.get(path.replace('/Accounts', '/patchbay/accounts').replace('RecentCalls', 'recent-calls.csv'))
  const linesIn = (text: string) => text.split('\r\n').length - 1

  test('forty concurrent exports of a tenant are complete or rejected with a status', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, exportCsv))
    const complete = answers.filter(({ status }) => status === 200)
    expect(complete).toHaveLength(maxExportsPerTenant)
    for (const { text } of complete) expect(linesIn(text)).toBe(calls + 1)
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect(answer).toMatchObject({ status: 429, body: { code: 'too_many_concurrent_requests' } })
    expect((await exportCsv()).status).toBe(200)
  })

  test('an export completes while the tenant has used up its searches', async () => {
    const search = () => api.admin.get(`${path}?page=1&count=25&filter=4915`)
    const searches = Array.from({ length: 60 }, search)
    const { status, text } = await exportCsv()
    expect([status, linesIn(text)]).toEqual([200, calls + 1])
    expect((await Promise.all(searches)).some(({ status: refused }) => refused === 429)).toBe(true)
  })
})
