import { randomUUID } from 'node:crypto'
import { selectedResults } from '@patchbay/contract/shared/call-results'
import { getCallResult } from '@patchbay/rules/calls/call-result'
import { createSqlAlertSink } from '@patchbay/server/call-data/alerts/sql-alerts'
import type { CallRecord } from '@patchbay/server/call-data/calls/call-record'
import type { CallSearch, NumberPart } from '@patchbay/server/call-data/calls/calls'
import { createSqlCallSink } from '@patchbay/server/call-data/calls/sql-call-sink'
import { createSqlCalls, newestRows, selectCallsById } from '@patchbay/server/call-data/calls/sql-calls'
import { removeBefore } from '@patchbay/server/call-data/retention'
import { isClickHouse } from '@patchbay/testkit/servers/clickhouse/clickhouse-test-database'
import { createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import type { TestDatabase } from '@patchbay/testkit/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { alertRecord, callRecord } from './fixtures.ts'

/** Stored totals and the pages located with them, compared with plain filtering and slicing. */

let api: TestApi
let own: TestDatabase
beforeAll(async () => {
  api = await createTestApi()
  own = api.test
})
afterAll(() => api.close())

const hour = 3_600_000
const start = Date.parse('2026-11-01T00:00:00Z')
const provider = randomUUID()
let account_sid: string
beforeEach(() => {
  account_sid = randomUUID()
})

/** Returns the same sequence of numbers from 0 (inclusive) to 1 (exclusive) in every run. */
const dice = (seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const pick = <T>(random: () => number, values: readonly T[]): T => {
  const value = values[Math.floor(random() * values.length)]
  if (value === undefined) throw new Error('nothing to pick from')
  return value
}

const trunks = ['carrier', 'carrier', 'carrier', 'Carrier', null, 'rare']

const randomCall = (random: () => number, position: number): CallRecord =>
  callRecord(account_sid, {
    service_provider_sid: random() < 0.9 ? provider : null,
    call_sid: `call-${position}`,
    // Most calls fall into a few hours, and many of them at the start or end of one.
    time: BigInt(start + Math.floor(random() ** 3 * 60) * hour + Math.floor(random() * 3) * 1000) * 1_000_000n,
    trunk: pick(random, trunks),
    direction: pick(random, ['inbound', 'outbound', null]),
    answered: random() < 0.6,
    sip_status: pick(random, [200, 408, 480, 486, 487, 503, 600, null]),
    duration: pick(random, [0, 1, 4, 5, 59, 60, 4000]),
    application_sid: pick(random, ['menu', 'Menu', null]),
    sip_callid: `sip-${position}@10.0.0.5`,
    from: pick(random, ['15551000', '15552000', '+4930', '004930']),
    to: pick(random, ['441', '442']),
  })

const at = ({ time }: CallRecord): number => Number(time / 1_000_000n)

const matchesNumber = (number: string | null, { text, isStart }: NumberPart): boolean =>
  isStart
    ? ['', '+', '00'].some((prefix) => number?.startsWith(prefix + text) === true)
    : number?.includes(text) === true

const expected = (calls: readonly CallRecord[], search: CallSearch): CallRecord[] =>
  calls
    .filter(
      (call) =>
        ('account_sid' in search.owner || call.service_provider_sid === search.owner.service_provider_sid) &&
        (search.after === undefined || at(call) > search.after) &&
        (search.from === undefined || at(call) >= search.from) &&
        (search.until === undefined || at(call) <= search.until) &&
        (search.trunk === undefined || call.trunk === search.trunk) &&
        (search.direction === undefined || call.direction === search.direction) &&
        (search.answered === undefined || call.answered === search.answered) &&
        (search.sip_status === undefined || (call.sip_status ?? 0) === search.sip_status) &&
        (search.result === undefined || getCallResult(call) === search.result) &&
        (search.min_duration === undefined || call.duration >= search.min_duration) &&
        (search.max_duration === undefined || call.duration <= search.max_duration) &&
        (search.application_sid === undefined || call.application_sid === search.application_sid) &&
        [call.from, call.to].some((number) => matchesNumber(number, search.number ?? { text: '', isStart: false })) &&
        (search.text === undefined ||
          call.from?.includes(search.text) === true ||
          call.to?.includes(search.text) === true ||
          call.call_sid === search.text ||
          call.sip_callid === search.text ||
          (/[a-z]/i.test(search.text) && call.trunk?.includes(search.text) === true)),
    )
    .toSorted((a, b) => at(b) - at(a) || ((a.call_sid ?? '') < (b.call_sid ?? '') ? 1 : -1))

/** Returns the name of the index that a query uses. */
const explain = async (query: ReturnType<typeof newestRows>): Promise<string | undefined> => {
  const isMysql = own.database.engine === 'mysql'
  const plan = JSON.stringify(isMysql ? await query.explain() : await query.explain(undefined, sql`QUERY PLAN`))
  return /"key":"(\w+)"|USING INDEX (\w+)/.exec(plan)?.slice(1).find(Boolean)
}

const randomSearch = (random: () => number): Omit<CallSearch, 'owner'> => {
  const somewhen = () => start + Math.floor(random() * 62 * hour) + pick(random, [-1, 0, 1, 999])
  const edge = () => start + Math.floor(random() * 62) * hour + pick(random, [-1, 0, 1000])
  const when = () => (random() < 0.5 ? somewhen() : edge())
  return {
    ...(random() < 0.3 ? { after: when() } : {}),
    ...(random() < 0.3 ? { from: when() } : {}),
    ...(random() < 0.5 ? { until: when() } : {}),
    ...(random() < 0.3 ? { trunk: pick(random, ['carrier', 'rare', 'Carrier', 'none']) } : {}),
    ...(random() < 0.3 ? { direction: pick(random, ['inbound', 'outbound']) } : {}),
    ...(random() < 0.3 ? { answered: random() < 0.5 } : {}),
    ...(random() < 0.3 ? { sip_status: pick(random, [0, 200, 486, 503, 404]) } : {}),
    ...(random() < 0.3 ? { result: pick(random, selectedResults) } : {}),
    ...(random() < 0.3 ? { min_duration: pick(random, [1, 5, 60, 3600, 7]) } : {}),
    ...(random() < 0.3 ? { max_duration: pick(random, [0, 4, 59, 60, 3599, 5000]) } : {}),
    ...(random() < 0.3 ? { application_sid: pick(random, ['menu', 'Menu', 'none']) } : {}),
    ...(random() < 0.2 ? { number: { text: pick(random, ['1555', '49', '42', '%']), isStart: random() < 0.5 } } : {}),
    ...(random() < 0.3
      ? { text: pick(random, ['555', '15551', '442', 'call-7', '+49', '%', 'sip-7@10.0.0.5', 'rar']) }
      : {}),
    page: 1 + Math.floor(random() ** 2 * 40),
    pageSize: pick(random, [1, 7, 25, 500]),
  }
}

describe('totals and pages', () => {
  test('match filtering, sorting, and slicing of the records for any search', async () => {
    const random = dice(7)
    const { calls } = api.services
    const { store } = api.sinks.calls
    const records = Array.from({ length: 1200 }, (_, position) => randomCall(random, position))
    await store(records)
    // Stores some records again, together with new ones. Existing records must be counted once.
    const more = Array.from({ length: 100 }, (_, position) => randomCall(random, 5000 + position))
    await store([...records.slice(200, 900), ...more])
    const all = [...records, ...more]
    for (let round = 0; round < 150; round += 1) {
      const owner = random() < 0.7 ? { account_sid } : { service_provider_sid: provider }
      const search: CallSearch = { owner, ...randomSearch(random) }
      const result = await calls.search(search)
      const matches = expected(all, search)
      const first = (search.page - 1) * search.pageSize
      expect({ search, total: result.total, calls: result.calls.map(({ call_sid }) => call_sid) }).toEqual({
        search,
        total: matches.length,
        calls: matches.slice(first, first + search.pageSize).map(({ call_sid }) => call_sid),
      })
    }
  })

  test('stay correct with concurrent writes of equal and different records', async () => {
    const random = dice(11)
    const { calls } = api.services
    const records = Array.from({ length: 600 }, (_, position) => randomCall(random, position))
    const batches = Array.from({ length: 8 }, (_, position) => records.slice(position * 50, position * 50 + 250))
    await Promise.all(batches.map((batch) => api.sinks.calls.store(batch)))
    const { total, calls: page } = await calls.search({ owner: { account_sid }, page: 1, pageSize: 1000 })
    expect([total, page.length]).toEqual([600, 600])
  })
})

describe.skipIf(isClickHouse)('records older than the retention period', () => {
  test('are deleted with their counts, and others remain', async () => {
    const random = dice(3)
    const { database } = own
    const calls = createSqlCalls(database)
    const records = Array.from({ length: 1500 }, (_, position) => randomCall(random, position))
    await createSqlCallSink(database).store(records)
    const before = start + 5 * hour
    await removeBefore(database, 'calls', before)
    const remainingRecords = records.filter((record) => at(record) >= before)
    expect(remainingRecords.length).toBeGreaterThan(0)
    expect(remainingRecords.length).toBeLessThan(records.length)
    const search = { owner: { account_sid }, page: 1, pageSize: 2000 }
    const result = await calls.search(search)
    expect([result.total, result.calls.length]).toEqual([remainingRecords.length, remainingRecords.length])
    const remainingCounts = await database.db
      .selectFrom('patchbay_call_hours')
      .select('hour')
      .where('hour', '<', before / hour)
      .execute()
    expect(remainingCounts).toEqual([])
    const long = await calls.search({ ...search, min_duration: 60 })
    expect(long.total).toBe(remainingRecords.filter(({ duration }) => duration >= 60).length)
    const remainingOutcomes = await database.db
      .selectFrom('patchbay_call_outcomes')
      .select('hour')
      .where('hour', '<', before / hour)
      .execute()
    expect(remainingOutcomes).toEqual([])
    const ofMenu = await calls.search({ ...search, application_sid: 'menu' })
    expect(ofMenu.total).toBe(remainingRecords.filter(({ application_sid }) => application_sid === 'menu').length)
    const remainingApplications = await database.db
      .selectFrom('patchbay_call_applications')
      .select('hour')
      .where('hour', '<', before / hour)
      .execute()
    expect(remainingApplications).toEqual([])
  })

  test('include alerts', async () => {
    const { database } = own
    const alerts = createSqlAlertSink(database)
    const raised = (message: string, time: number) =>
      alertRecord({ time: BigInt(time) * 1_000_000n, account_sid, message })
    await alerts.store([
      ...Array.from({ length: 1100 }, (_, position) => raised(`old ${position}`, start - position)),
      raised('new', start + hour),
    ])
    await removeBefore(database, 'calls', start + hour)
    const remainingAlerts = await database.db
      .selectFrom('patchbay_alerts')
      .select('message')
      .where('account_sid', '=', account_sid)
      .execute()
    expect(remainingAlerts).toEqual([{ message: 'new' }])
  })

  test('are not deleted after the signal aborts', async () => {
    const { database } = own
    const calls = createSqlCalls(database)
    await createSqlCallSink(database).store([callRecord(account_sid, { time: BigInt(start) * 1_000_000n })])
    await removeBefore(database, 'calls', start + 24 * hour, AbortSignal.abort())
    expect((await calls.search({ owner: { account_sid }, page: 1, pageSize: 1 })).total).toBe(1)
  })
})

test.skipIf(isClickHouse).each([
  [{ application_sid: 'rare' }, 'patchbay_calls_application'],
  [{ sip_status: 503 }, 'patchbay_calls_status'],
])("an index finds an owner's calls by %o, independent of the number of other calls", async (filter, index) => {
  const { database } = own
  const others = Array.from({ length: 400 }, (_, n) =>
    callRecord(account_sid, {
      service_provider_sid: provider,
      time: BigInt(start + n) * 1_000_000n,
      sip_status: n === 7 ? 503 : 200,
      application_sid: n === 7 ? 'rare' : 'menu',
    }),
  )
  await createSqlCallSink(database).store(others)
  for (const owner of [{ account_sid }, { service_provider_sid: provider }]) {
    const search = { owner, page: 1, pageSize: 25, ...filter }
    const window = { from: start, until: start + hour - 1 }
    const plan = await explain(newestRows(database.reader, database.engine, search, window))
    expect(plan).toMatch(new RegExp(`^${index}_${Object.keys(owner)[0]}$`))
  }
})

test.skipIf(isClickHouse).each([
  [{ call_sid: 'one' }, /^(call_sid|patchbay_calls_idx_3)$/],
  [{ trace_id: 'one' }, /^patchbay_calls_trace$/],
  [{ sip_callid: 'one' }, /^patchbay_calls_sip$/],
  [{ sip_parent_callid: 'one' }, /^patchbay_calls_parent$/],
])("an index finds a call by %o, independent of the number of the owner's calls", async (id, index) => {
  const { database } = own
  const calls = Array.from({ length: 200 }, (_, n) =>
    callRecord(account_sid, { time: BigInt(start + n) * 1_000_000n, sip_callid: `${n}`, trace_id: `${n}` }),
  )
  await createSqlCallSink(database).store(calls)
  const query = selectCallsById(database, { account_sid }, id)
  expect(await explain(query)).toMatch(index)
})
