import type { Call } from '@patchbay/contract/recent-calls'
import type { CallRating, CallRecord } from '@patchbay/server/call-data/calls/call-record'
import { rateCalls } from '@patchbay/server/call-data/clickhouse/call-costs'
import { createClickHouse } from '@patchbay/server/call-data/clickhouse/clickhouse'
import { openClickHouseApi } from '@patchbay/testkit/servers/clickhouse/clickhouse-test-api'
import { beforeEach, expect, test } from 'vitest'
import { callRecord } from '../test/fixtures.ts'

/** Costs that a rating engine adds to calls in ClickHouse. */

const { server, api } = await openClickHouseApi()

let account_sid: string
let call: CallRecord

beforeEach(async () => {
  const service_provider_sid = await api.provider()
  account_sid = await api.account(service_provider_sid)
  call = callRecord(account_sid, { service_provider_sid, cost: 1, rate: 2 })
  await api.sinks.calls.store([call])
})

const toRating = (more: Partial<CallRating> = {}): CallRating => ({
  ...call,
  cost: null,
  rate: null,
  billed_seconds: null,
  ...more,
})

const rate = (...ratings: CallRating[]) => api.sinks.calls.rate(ratings)

/** Returns the call as the list, the search by ID, and the export return it. */
const readCall = async () => {
  const owner = { account_sid }
  const { calls } = api.services
  const listed = await calls.search({ owner, page: 1, pageSize: 25 })
  const byId = await calls.find(owner, { call_sid: call.call_sid ?? '' })
  const searched = await calls.search({ owner, text: call.from ?? '', page: 1, pageSize: 25 })
  const exported: Call[] = []
  for await (const page of calls.walk({ owner })) exported.push(...page)
  for (const others of [byId, searched.calls, exported]) expect(others).toEqual(listed.calls)
  expect(listed).toMatchObject({ total: 1, calls: [{ call_sid: call.call_sid }] })
  return listed.calls[0]
}

test('a rating changes what it states, and the newest one applies before and after a merge', async () => {
  expect(await readCall()).toMatchObject({ cost: 1, rate: 2 })
  expect(await rate(toRating({ cost: 3 }))).toEqual([undefined])
  expect(await readCall()).toMatchObject({ cost: 3, rate: 2 })
  expect(await rate(toRating({ billed_seconds: 60 }), toRating({ rate: 4 }))).toEqual([undefined, undefined])
  expect(await readCall()).toMatchObject({ cost: 3, rate: 4, billed_seconds: 60 })
  // A cost that is corrected and then set again is stored again.
  for (const cost of [5, 3, 5]) await rate(toRating({ cost }))
  expect(await readCall()).toMatchObject({ cost: 5, rate: 4, billed_seconds: 60 })
  await server.query('OPTIMIZE TABLE call_costs FINAL')
  expect(await server.query(`SELECT count() FROM call_costs WHERE account_sid = '${account_sid}'`)).toBe('1\n')
  expect(await readCall()).toMatchObject({ cost: 5, rate: 4, billed_seconds: 60 })
})

test('a rating without a call, of another account, or of several calls is rejected with the reason', async () => {
  const twin = { ...call, call_sid: 'another', trunk: 'twin' }
  await api.sinks.calls.store([twin, { ...twin, call_sid: 'a third' }])
  const foreign = await api.account(await api.provider())
  const reasons = await rate(
    toRating({ cost: 9, account_sid: foreign }),
    toRating({ cost: 9, time: call.time + 1n }),
    toRating({ cost: 9, answered: false }),
    toRating({ cost: 9, trunk: 'twin' }),
    toRating({ cost: 7 }),
  )
  const none = 'no stored call has these tags and this time, so that the cost has no call'
  const several = 'several calls have these tags and this time, so that the call of the cost is unknown'
  expect(reasons).toEqual([none, none, none, several, undefined])
  const { calls } = await api.services.calls.search({ owner: { account_sid }, page: 1, pageSize: 25 })
  expect(Object.fromEntries(calls.map(({ call_sid, cost }) => [call_sid, cost]))).toEqual({
    [call.call_sid ?? '']: 7,
    'a third': 1,
    another: 1,
  })
})

test('a rating whose call may be waiting on the disk fails, so that its sender repeats it', async () => {
  const { clickHouse: address } = api.services.configuration
  if (address === null) throw new Error('ClickHouse is not configured')
  const clickHouse = await createClickHouse(address)
  try {
    const options = { clickHouse, prepare: () => Promise.resolve(), hasWaiting: () => true }
    const unknown = toRating({ cost: 9, time: call.time + 1n })
    await expect(rateCalls(options, [toRating({ cost: 8 }), unknown])).rejects.toThrow('waiting for ClickHouse')
    expect(await readCall()).toMatchObject({ cost: 1 })
    expect(await rateCalls(options, [toRating({ cost: 8 })])).toEqual([undefined])
    expect(await readCall()).toMatchObject({ cost: 8 })
  } finally {
    await clickHouse.close()
  }
})
