import { randomUUID } from 'node:crypto'
import type { BlockedNumber } from '@patchbay/contract/call-quality'
import type { CallRecord } from '@patchbay/server/call-data/calls/call-record'
import { createSqlCallSink } from '@patchbay/server/call-data/calls/sql-call-sink'
import { removeBefore } from '@patchbay/server/call-data/retention'
import { up as addDays } from '@patchbay/server/database/migrations/0013-call-days'
import { toContext } from '@patchbay/server/database/migrations/index'
import { createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { callDataPlaces } from './call-data.ts'
import { callRecord, getRow, nanosecondsAt, statusAndMessage, storeTrace } from './fixtures.ts'

/** Call quality sums, compared with manually counted calls. */

let minute = 0
/** Returns a different time of the day for each call, because InfluxDB merges points with the same time. */
const within = (day: string) => nanosecondsAt(Date.parse(`${day}T12:00:00Z`) + (minute++ % 600) * 60_000)
const november = 'from=2026-11-01&until=2026-11-30'

describe.each(callDataPlaces)('in %s', async (store, open) => {
  const { api, storeCalls } = await open()
  let provider: string
  let account_sid: string
  beforeEach(async () => {
    provider = await api.provider()
    account_sid = await api.account(provider)
  })

  const call = (day: string, more: Partial<CallRecord> = {}) =>
    callRecord(account_sid, { service_provider_sid: provider, time: within(day), duration: 60, ...more })
  const failed = (day: string, sip_status: number, more: Partial<CallRecord> = {}) =>
    call(day, { answered: false, duration: 0, sip_status, ...more })

  const ofAccount = async (query = november) =>
    getRow(await api.admin.get(`/patchbay/accounts/${account_sid}/call-quality?${query}`))
  const ofProvider = async (query = november) =>
    getRow(await api.admin.get(`/patchbay/service-providers/${provider}/call-quality?${query}`))

  test('counts attempts, answers, delivered calls, and duration by day, carrier, and direction', async () => {
    await storeCalls([
      call('2026-11-02', { trunk: 'north' }),
      call('2026-11-02', { trunk: 'north', duration: 30, direction: 'outbound' }),
      failed('2026-11-02', 486, { trunk: 'south' }),
      failed('2026-11-03', 503, { trunk: 'south' }),
      failed('2026-11-03', 503, { trunk: 'south' }),
      call('2026-10-31'),
      call('2026-12-01'),
    ])
    const quality = await ofAccount()
    expect(quality['total']).toMatchObject({ attempts: 5, answered: 2, delivered: 3, seconds: 90 })
    expect(quality['days']).toMatchObject([
      { day: '2026-11-02', attempts: 3, answered: 2, delivered: 3, seconds: 90 },
      { day: '2026-11-03', attempts: 2, answered: 0, delivered: 0, seconds: 0 },
    ])
    expect(quality['trunks']).toMatchObject([
      { trunk: 'south', attempts: 3, answered: 0, delivered: 1 },
      { trunk: 'north', attempts: 2, answered: 2, delivered: 2 },
    ])
    expect(quality['directions']).toMatchObject([
      { direction: 'inbound', attempts: 4 },
      { direction: 'outbound', attempts: 1 },
    ])
    expect(quality['statuses']).toEqual([
      { sip_status: 503, calls: 2 },
      { sip_status: 486, calls: 1 },
    ])
    expect(quality['accounts']).toEqual([])
    const north = await ofAccount(`${november}&trunk=north&direction=outbound`)
    expect(north).toMatchObject({ total: { attempts: 1, seconds: 30 }, trunks: [{ trunk: 'north' }] })
  })

  test('the figures of the days add up to those of the period', async () => {
    await storeCalls([
      call('2026-11-02', { trunk: 'north' }),
      call('2026-11-02', { direction: 'outbound', duration: 31 }),
      failed('2026-11-03', 486),
      failed('2026-11-03', 503, { trunk: 'south' }),
      failed('2026-11-05', 607, { direction: 'outbound' }),
      failed('2026-11-05', 0),
      call('2026-12-01'),
    ])
    for (const quality of [await ofAccount(), await ofProvider()]) {
      const days = quality['days'] as Record<string, number>[]
      const total = quality['total'] as Record<string, number>
      const sums = Object.keys(total).map((name) => [name, days.reduce((sum, day) => sum + (day[name] ?? 0), 0)])
      expect(Object.fromEntries(sums)).toEqual(total)
      expect(total).toMatchObject({ attempts: 6, answered: 2, delivered: 4, blocked: 1, seconds: 91 })
    }
  })

  test('counts calls that a filter or the called side blocked, by day, carrier, and direction', async () => {
    await storeCalls([
      failed('2026-11-02', 607, { trunk: 'north', direction: 'outbound' }),
      failed('2026-11-02', 608, { trunk: 'south', direction: 'outbound' }),
      failed('2026-11-03', 608, { trunk: 'south', direction: 'outbound' }),
      // The status alone does not tell a block from another refusal.
      failed('2026-11-03', 603, { trunk: 'south', direction: 'outbound' }),
      call('2026-11-03', { trunk: 'south', sip_status: 608 }),
    ])
    const quality = await ofAccount()
    expect(quality['total']).toMatchObject({ attempts: 5, blocked: 3, delivered: 2 })
    expect(quality['days']).toMatchObject([
      { day: '2026-11-02', blocked: 2 },
      { day: '2026-11-03', blocked: 1 },
    ])
    expect(quality['trunks']).toMatchObject([
      { trunk: 'south', blocked: 2 },
      { trunk: 'north', blocked: 1 },
    ])
    expect(quality['directions']).toMatchObject([
      { direction: 'outbound', blocked: 3 },
      { direction: 'inbound', blocked: 0 },
    ])
    // Patchbay receives no records that a platform writes to its own InfluxDB.
    const isOurs = store !== 'InfluxDB'
    const numbers = (quality['blocked_numbers'] ?? []) as BlockedNumber[]
    expect([quality['counts_sip'], quality['blocked_numbers'] === null]).toEqual([isOurs, !isOurs])
    expect(numbers.map(({ last_at, ...one }) => ({ ...one, day: last_at.slice(0, 10) }))).toEqual(
      isOurs ? [{ number: '15083728299', calls: 3, analytics: 0, filtered: 2, unwanted: 1, day: '2026-11-03' }] : [],
    )
  })

  test('a provider sees its own accounts only', async () => {
    const beside = await api.account(provider)
    const foreign = await api.account(await api.provider())
    await storeCalls([
      call('2026-11-02'),
      callRecord(beside, { service_provider_sid: provider, time: within('2026-11-02') }),
      failed('2026-11-02', 404, { account_sid: beside }),
      callRecord(foreign, { service_provider_sid: randomUUID(), time: within('2026-11-02') }),
    ])
    expect(await ofProvider()).toMatchObject({
      total: { attempts: 3, answered: 2 },
      accounts: [
        { account_sid: beside, attempts: 2, answered: 1 },
        { account_sid, attempts: 1, answered: 1 },
      ],
    })
  })

  test('returns zeros without calls, and finds calls by their final status', async () => {
    expect(await ofProvider()).toMatchObject({ total: { attempts: 0 }, days: [], trunks: [], statuses: [] })
    const call_sid = randomUUID()
    await storeCalls([failed('2026-11-02', 503, { call_sid }), failed('2026-11-02', 486), call('2026-11-02')])
    const search = async (query: string) =>
      getRow(await api.admin.get(`/Accounts/${account_sid}/RecentCalls?page=1&count=25&${query}`))
    expect(await search('sip_status=503')).toMatchObject({ total: 1, data: [{ call_sid }] })
    expect(await search('sip_status=503&answered=true')).toMatchObject({ total: 0 })
    expect(await search('sip_status=nonsense')).toMatchObject({ total: 3 })
  })

  test.each([
    ['from=2026-11-02', 'missing field until'],
    ['from=yesterday&until=2026-11-02', 'invalid "from" query arg'],
    ['from=2026-11-03&until=2026-11-02', '"until" is before "from"'],
    ['from=2020-11-03&until=2026-11-02', 'a period has 400 days at most'],
  ])('%s is rejected', async (query, message) => {
    const answer = await api.admin.get(`/patchbay/accounts/${account_sid}/call-quality?${query}`)
    expect(statusAndMessage(answer)).toEqual([400, message])
  })
})

describe('the stored sums', () => {
  let api: TestApi
  beforeAll(async () => {
    api = await createTestApi()
  })
  afterAll(() => api.close())

  const rows = () =>
    api.test.database.db
      .selectFrom('patchbay_call_days')
      .selectAll()
      .orderBy('owner_sid')
      .orderBy('day')
      .orderBy('trunk')
      .orderBy('direction')
      .orderBy('sip_status')
      .orderBy('answered')
      .execute()

  test('count a repeated call once, are the same after a rebuild, and are deleted with old calls', async () => {
    const { database } = api.test
    const calls = Array.from({ length: 60 }, (_, position) =>
      callRecord(position % 2 === 0 ? 'account-1' : 'account-2', {
        service_provider_sid: position % 5 === 0 ? null : 'provider',
        call_sid: `call-${position}`,
        // Some calls are before 1970, where rounding must still go down.
        time: nanosecondsAt((position - 30) * 7 * 3_600_000),
        trunk: position % 3 === 0 ? null : 'carrier',
        direction: position % 7 === 0 ? null : 'inbound',
        answered: position % 4 === 0,
        sip_status: position % 6 === 0 ? null : 200 + position,
        duration: position,
      }),
    )
    const store = () => createSqlCallSink(database).store(calls)
    await store()
    await store()
    const storedRows = await rows()
    expect(storedRows.reduce((sum, row) => sum + row.calls, 0)).toBe(60 + 48)
    await addDays(toContext(database))
    expect(await rows()).toEqual(storedRows)
    await removeBefore(database, 'calls', 0)
    expect((await rows()).every(({ day }) => day >= 0)).toBe(true)
    await removeBefore(database, 'calls', Date.now())
    expect(await rows()).toEqual([])
  })

  const storeSpan = (call_sid: string, name: string, at: number) =>
    storeTrace(api, {
      name,
      startTimeUnixNano: String(nanosecondsAt(at)),
      attributes: [{ key: 'callSid', value: { stringValue: call_sid } }],
    })

  test('contain the post-dial delay of calls with a trace', async () => {
    const provider = await api.provider()
    const account_sid = await api.account(provider)
    const call_sid = randomUUID()
    const span = (name: string, milliseconds: number) => storeSpan(call_sid, name, 1_777_000_000_000 + milliseconds)
    // Spans arrive in any order and repeatedly.
    await span('call-status:in-progress', 4000)
    await span('outbound-call', 0)
    await span('call-status:ringing', 1500)
    await span('call-status:trying', 200)
    await span('verb:say', 9)
    const record = { service_provider_sid: provider, time: nanosecondsAt(1_777_000_000_000) }
    await api.sinks.calls.store([callRecord(account_sid, { ...record, call_sid }), callRecord(account_sid, record)])
    const { body } = await api.admin.get(
      `/patchbay/accounts/${account_sid}/call-quality?from=2026-04-24&until=2026-04-24`,
    )
    expect(body).toMatchObject({ total: { attempts: 2, pdd_calls: 1, pdd_milliseconds: 1500 } })
    expect(await api.test.database.db.selectFrom('patchbay_call_delays').selectAll().execute()).toEqual([])
  })

  test('have the post-dial delay of each day, whose mean by calls is that of the period', async () => {
    const service_provider_sid = await api.provider()
    const account_sid = await api.account(service_provider_sid)
    const delays = [
      [2, 1500],
      [2, 500],
      [4, 4000],
    ] as const
    for (const [day, milliseconds] of delays) {
      const call_sid = randomUUID()
      const at = Date.UTC(2026, 10, day, 12)
      await storeSpan(call_sid, 'outbound-call', at)
      await storeSpan(call_sid, 'call-status:ringing', at + milliseconds)
      await api.sinks.calls.store([
        callRecord(account_sid, { service_provider_sid, call_sid, time: nanosecondsAt(at) }),
      ])
    }
    const { body } = await api.admin.get(`/patchbay/accounts/${account_sid}/call-quality?${november}`)
    expect(body).toMatchObject({
      total: { pdd_calls: 3, pdd_milliseconds: 6000 },
      days: [
        { day: '2026-11-02', pdd_calls: 2, pdd_milliseconds: 2000 },
        { day: '2026-11-04', pdd_calls: 1, pdd_milliseconds: 4000 },
      ],
    })
  })
})
