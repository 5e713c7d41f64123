import { removeBefore } from '@patchbay/server/call-data/retention'
import { createSqlAlerts } from '@patchbay/server/call-data/alerts/sql-alerts'
import type { CallSearch } from '@patchbay/server/call-data/calls/calls'
import { selectCallsById, createSqlCalls } from '@patchbay/server/call-data/calls/sql-calls'
import type { CallRecord } from '@patchbay/server/call-data/ingest/parse-call-point'
import { createTestDatabase, type TestDatabase } from '@patchbay/testkit/test-database'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { alertRecord, callRecord } from './fixtures.ts'

/** Totals are kept and pages are placed by them: here they are held against plain filtering and slicing. */

let own: TestDatabase
beforeAll(async () => {
  own = await createTestDatabase()
})
afterAll(() => own.drop())

const hour = 3_600_000
const start = Date.parse('2026-11-01T00:00:00Z')
const provider = randomUUID()
let account_sid: string
beforeEach(() => {
  account_sid = randomUUID()
})

/** The same numbers every time, from 0 up to 1. */
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
    // Most calls fall into a few hours, and many of them on the edge of one.
    time: BigInt(start + Math.floor(random() ** 3 * 60) * hour + Math.floor(random() * 3) * 1000) * 1_000_000n,
    trunk: pick(random, trunks),
    direction: pick(random, ['inbound', 'outbound', null]),
    answered: random() < 0.6,
    from: pick(random, ['15551000', '15552000', '+4930']),
    to: pick(random, ['441', '442']),
  })

const at = ({ time }: CallRecord): number => Number(time / 1_000_000n)

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
        (search.text === undefined ||
          call.from?.includes(search.text) === true ||
          call.to?.includes(search.text) === true ||
          call.call_sid === search.text),
    )
    .toSorted((a, b) => at(b) - at(a) || ((a.call_sid ?? '') < (b.call_sid ?? '') ? 1 : -1))

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
    ...(random() < 0.3 ? { text: pick(random, ['555', '15551', '442', 'call-7', '+49', '%']) } : {}),
    page: 1 + Math.floor(random() ** 2 * 40),
    pageSize: pick(random, [1, 7, 25, 500]),
  }
}

describe('totals and pages', () => {
  test('are what filtering, ordering and slicing the records gives, for any search', async () => {
    const random = dice(7)
    const calls = createSqlCalls(own.database)
    const records = Array.from({ length: 1200 }, (_, position) => randomCall(random, position))
    await calls.store(records)
    // Once more, and partly with new ones: what is there already counts once.
    const more = Array.from({ length: 100 }, (_, position) => randomCall(random, 5000 + position))
    await calls.store([...records.slice(200, 900), ...more])
    const all = [...records, ...more]
    for (let round = 0; round < 150; round += 1) {
      const owner = random() < 0.7 ? { account_sid } : { service_provider_sid: provider }
      const search: CallSearch = { owner, ...randomSearch(random) }
      const found = await calls.search(search)
      const wanted = expected(all, search)
      const first = (search.page - 1) * search.pageSize
      expect({ search, total: found.total, calls: found.calls.map(({ call_sid }) => call_sid) }).toEqual({
        search,
        total: wanted.length,
        calls: wanted.slice(first, first + search.pageSize).map(({ call_sid }) => call_sid),
      })
    }
  })

  test('stay right when many write the same and other records at once', async () => {
    const random = dice(11)
    const calls = createSqlCalls(own.database)
    const records = Array.from({ length: 600 }, (_, position) => randomCall(random, position))
    const batches = Array.from({ length: 8 }, (_, position) => records.slice(position * 50, position * 50 + 250))
    await Promise.all(batches.map((batch) => calls.store(batch)))
    const { total, calls: page } = await calls.search({ owner: { account_sid }, page: 1, pageSize: 1000 })
    expect([total, page.length]).toEqual([600, 600])
  })
})

describe('records older than they are kept', () => {
  test('go with their counts, the others stay', async () => {
    const random = dice(3)
    const { database } = own
    const calls = createSqlCalls(database)
    const records = Array.from({ length: 1500 }, (_, position) => randomCall(random, position))
    await calls.store(records)
    const before = start + 5 * hour
    await removeBefore(database, 'calls', before)
    const kept = records.filter((record) => at(record) >= before)
    expect(kept.length).toBeGreaterThan(0)
    expect(kept.length).toBeLessThan(records.length)
    const search = { owner: { account_sid }, page: 1, pageSize: 2000 }
    const found = await calls.search(search)
    expect([found.total, found.calls.length]).toEqual([kept.length, kept.length])
    const left = await database.db
      .selectFrom('patchbay_call_hours')
      .select('hour')
      .where('hour', '<', before / hour)
      .execute()
    expect(left).toEqual([])
  })

  test('alerts as well', async () => {
    const { database } = own
    const alerts = createSqlAlerts(database)
    const raised = (message: string, time: number) =>
      alertRecord({ time: BigInt(time) * 1_000_000n, account_sid, message })
    await alerts.store([
      ...Array.from({ length: 1100 }, (_, position) => raised(`old ${position}`, start - position)),
      raised('new', start + hour),
    ])
    await removeBefore(database, 'calls', start + hour)
    const left = await database.db
      .selectFrom('patchbay_alerts')
      .select('message')
      .where('account_sid', '=', account_sid)
      .execute()
    expect(left).toEqual([{ message: 'new' }])
  })

  test('nothing goes once it is told to stop', async () => {
    const { database } = own
    const calls = createSqlCalls(database)
    await calls.store([callRecord(account_sid, { time: BigInt(start) * 1_000_000n })])
    await removeBefore(database, 'calls', start + 24 * hour, AbortSignal.abort())
    expect((await calls.search({ owner: { account_sid }, page: 1, pageSize: 1 })).total).toBe(1)
  })
})

test.each([
  [{ call_sid: 'one' }, /^(call_sid|patchbay_calls_idx_3)$/],
  [{ trace_id: 'one' }, /^patchbay_calls_trace$/],
  [{ sip_callid: 'one' }, /^patchbay_calls_sip$/],
  [{ sip_parent_callid: 'one' }, /^patchbay_calls_parent$/],
])('a call is found by its %o in the index of that, however many calls its owner has', async (id, index) => {
  const { database } = own
  const calls = Array.from({ length: 200 }, (_, n) =>
    callRecord(account_sid, { time: BigInt(start + n) * 1_000_000n, sip_callid: `${n}`, trace_id: `${n}` }),
  )
  await createSqlCalls(database).store(calls)
  const query = selectCallsById(database, { account_sid }, id)
  const plan = JSON.stringify(
    database.engine === 'mysql' ? await query.explain() : await query.explain(undefined, sql`QUERY PLAN`),
  )
  expect(/"key":"(\w+)"|USING INDEX (\w+)/.exec(plan)?.slice(1).find(Boolean)).toMatch(index)
})
