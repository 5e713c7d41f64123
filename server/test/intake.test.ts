import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { createSink } from '@patchbay/server/app/ingest'
import { createInfluxIntake } from '@patchbay/server/call-data/ingest/influx-ingest'
import { createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** Ingest of call data, from jambonz's writers to the tables of both engines. */

let api: TestApi
let intake: FastifyInstance
let port: number
let service_provider_sid: string

beforeAll(async () => {
  api = await createTestApi()
  service_provider_sid = await api.provider()
  intake = createInfluxIntake({ sink: createSink(api.sinks), logger: api.app.log })
  port = Number(new URL(await intake.listen({ host: '127.0.0.1', port: 0 })).port)
})
afterAll(async () => {
  await intake.close()
  await api.close()
})

const write = (database: string, lines: string) =>
  intake.inject({ method: 'POST', url: `/write?db=${database}`, payload: lines })

/** Returns the client of the published package, unchanged. */
const timeSeriesClient = () => {
  const timeSeries = createRequire(new URL('../../e2e/package.json', import.meta.url))('@jambonz/time-series')
  const silent = { info: () => {}, debug: () => {}, error: () => {} }
  return timeSeries(silent, { host: '127.0.0.1', port, commitSize: 1, commitInterval: 'test' })
}

const readAlerts = async (account_sid: string) => {
  const { alerts } = await api.services.alerts.search({ owner: { account_sid }, page: 1, pageSize: 25 })
  return alerts.toSorted((a, b) => a.message.localeCompare(b.message))
}

/** Writes two calls at the same time with different tags. Returns the rating of the first one, and the list of both. */
const writeCallsToRate = async () => {
  const { writeCdrs, writeRatedCdrs } = timeSeriesClient()
  const account_sid = await api.account(service_provider_sid)
  const attempted_at = new Date('2026-02-24T13:11:51.969Z')
  const tags = { account_sid, service_provider_sid, direction: 'inbound', answered: true, host: '10.0.0.5', trunk: 'a' }
  const call_sid = randomUUID()
  const other = randomUUID()
  for (const [sid, trunk] of [
    [call_sid, 'a'],
    [other, 'b'],
  ])
    await writeCdrs({ ...tags, trunk, call_sid: sid, attempted_at, from: '1508', to: '1888', duration: 45 })
  const rating = { tags, call_sid, attempted_at, end_time: attempted_at.getTime() + 45_000 }
  const list = async () => {
    const { body } = await api.admin.get(`/Accounts/${account_sid}/RecentCalls?page=1&count=25`)
    const { total, data } = body as { total: number; data: Record<string, unknown>[] }
    return { total, costs: Object.fromEntries(data.map((call) => [call['call_sid'], call['cost'] ?? null])), data }
  }
  return { attempted_at, call_sid, other, rating, list, writeRatedCdrs }
}

test('the published package adds the cost to the call with the same tags and time', async () => {
  const { attempted_at, call_sid, other, rating, list, writeRatedCdrs } = await writeCallsToRate()
  // A rating of another time or trunk belongs to no call, and becomes none.
  await expect(
    writeRatedCdrs([{ ...rating, cost: 9, rate: 9, billed_seconds: 9, attempted_at: attempted_at.getTime() + 1 }]),
  ).rejects.toThrow(/no stored call has these tags and this time/)
  expect(await list()).toMatchObject({ total: 2, costs: { [call_sid]: null, [other]: null } })
  await writeRatedCdrs([{ ...rating, cost: 0.25, rate: 1.5, billed_seconds: 60 }])
  expect(await list()).toMatchObject({ total: 2, costs: { [call_sid]: 0.25, [other]: null } })
  // A corrected rating replaces the first one.
  await writeRatedCdrs([{ ...rating, cost: 0.5, rate: 1.5, billed_seconds: 120 }])
  const { data } = await list()
  expect(data.find((call) => call['call_sid'] === call_sid)).toMatchObject({
    cost: 0.5,
    rate: 1.5,
    billed_seconds: 120,
    duration: 45,
    from: '1508',
  })
})

test('the published package of jambonz delivers calls and alerts', async () => {
  const { writeCdrs, writeAlerts } = timeSeriesClient()
  const account_sid = await api.account(service_provider_sid)
  const attempted_at = new Date('2026-02-24T13:11:51.969Z')
  const call_sid = randomUUID()
  await writeCdrs({
    account_sid,
    service_provider_sid,
    call_sid,
    attempted_at,
    direction: 'inbound',
    answered: true,
    host: '10.0.0.5',
    trunk: 'a, b = ü',
    from: '1508',
    to: '1888',
    duration: 45,
    sip_status: 200,
    sip_callid: 'x@y',
    terminated_at: attempted_at.getTime() + 45_000,
    termination_reason: 'caller hungup',
    remote_host: '3.3.3.3',
  })
  await writeAlerts({
    alert_type: 'webhook-failure',
    account_sid,
    service_provider_sid,
    url: 'http://foo.bar',
    status: 404,
  })
  const { body } = await api.admin.get(`/Accounts/${account_sid}/RecentCalls?page=1&count=25`)
  expect(body).toMatchObject({
    total: 1,
    data: [{ call_sid, trunk: 'a, b = ü', duration: 45, answered: true, terminated_at: '2026-02-24T13:12:36.969Z' }],
  })
  const alerts = await api.admin.get(`/Accounts/${account_sid}/Alerts?page=1&count=25`)
  expect(alerts.body).toMatchObject({
    total: 1,
    data: [{ alert_type: 'webhook-failure', service_provider_sid, message: 'http://foo.bar returned 404' }],
  })
})

test('different alerts with the same time are all stored, and a repeated alert is stored once', async () => {
  const account_sid = await api.account(service_provider_sid)
  const alert = (message: string) =>
    `alerts,alert_type=no-tts,account_sid=${account_sid} message="${message}" 1700000000000000001`
  await write('alerts', [alert('one'), alert('two'), alert('one')].join('\n'))
  await write('alerts', alert('two'))
  const storedAlerts = await readAlerts(account_sid)
  expect(storedAlerts.map(({ message }) => message)).toEqual(['one', 'two'])
  expect(storedAlerts[0]).toMatchObject({ time: '2023-11-14T22:13:20.000000001Z' })
})

test('a repeated call is stored once, and valid calls of a partly invalid batch are stored', async () => {
  const account_sid = await api.account(service_provider_sid)
  const call = (call_sid: string) =>
    `cdrs,account_sid=${account_sid},direction=inbound,answered=false call_sid="${call_sid}",duration=0 1700000000000000001`
  expect((await write('cdrs', call('a'))).statusCode).toBe(204)
  const mixed = await write('cdrs', [call('a'), 'nonsense', call('b')].join('\n'))
  expect(mixed.statusCode).toBe(400)
  expect(mixed.json().error).toContain('line 2')
  const { body } = await api.admin.get(`/Accounts/${account_sid}/RecentCalls?page=1&count=25`)
  expect(body).toMatchObject({
    total: 2,
    data: [{ call_sid: 'b', attempted_at: '2023-11-14T22:13:20.000000001Z' }, { call_sid: 'a' }],
  })
})
