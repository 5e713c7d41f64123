import { randomUUID } from 'node:crypto'
import { checkConnections } from '@patchbay/server/app/check-connections'
import { createSink, startIngestServers } from '@patchbay/server/app/ingest'
import { createMetrics } from '@patchbay/server/metrics/metrics'
import { type ClickHouseServer, startClickHouse } from '@patchbay/testkit/servers/clickhouse/clickhouse'
import { freePort } from '@patchbay/testkit/servers/ports'
import { createTestApi, member, type TestApi, testConfiguration } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callRecord, otlpSpan, seenMessage } from '../test/fixtures.ts'

/** Checks of a configuration with ClickHouse, its status, and the intake. */

let server: ClickHouseServer
let api: TestApi
let port: number
let otlpPort: number
let stopIntakes: () => Promise<void>

beforeAll(async () => {
  server = await startClickHouse()
  port = await freePort()
  otlpPort = await freePort()
  const intakes = { INTAKE_INFLUX: String(port), INTAKE_OTLP: String(otlpPort), INTAKE_HEP: String(await freePort()) }
  api = await createTestApi({ ...server.settings, ...intakes })
  stopIntakes = await startIngestServers(api.services, api.app.log, 1000)
})

afterAll(async () => {
  await stopIntakes()
  await api.close()
  await server.stop()
})

const time = `${Date.now()}000000`
const hourNs = 3_600_000_000_000n

const write = async (account_sid: string, call_sid: string): Promise<number> => {
  const line = `cdrs,account_sid=${account_sid},answered=true,direction=inbound call_sid="${call_sid}",duration=12i ${time}`
  const response = await fetch(`http://127.0.0.1:${port}/write?db=cdrs`, { method: 'POST', body: line })
  return response.status
}

const readComponent = async (name: 'calls' | 'traces' | 'logs' | 'captures') => {
  const { body } = await api.admin.get('/patchbay/system-status')
  const { components } = body as {
    components: { id: string; state: string; detail: string; version: string | null; last_contact: string | null }[]
  }
  return components.find(({ id }) => id === name)
}

const readCalls = () => readComponent('calls')

test('the intake stores call records and alerts in ClickHouse', async () => {
  const account_sid = await api.account(await api.provider())
  const call_sid = randomUUID()
  expect(await Promise.all([write(account_sid, call_sid), write(account_sid, call_sid)])).toEqual([204, 204])
  const path = `/Accounts/${account_sid}/RecentCalls`
  expect((await api.admin.get(`${path}?page=1&count=25`)).body).toMatchObject({ total: 1, data: [{ call_sid }] })
  expect(await api.test.database.db.selectFrom('patchbay_calls').selectAll().execute()).toEqual([])
  const alert = `alerts,account_sid=${account_sid},alert_type=webhook-failure message="failed" ${Date.now()}000000`
  const { status } = await fetch(`http://127.0.0.1:${port}/write?db=alerts`, { method: 'POST', body: alert })
  expect(status).toBe(204)
  expect((await api.admin.get(`/Accounts/${account_sid}/Alerts?page=1&count=25`)).body).toMatchObject({ total: 1 })
})

test('a server that starts without ClickHouse responds with 503 to queries of calls, and recovers', async () => {
  const other = await startClickHouse()
  await other.kill()
  const started = await createTestApi(other.settings)
  const account_sid = await started.account(await started.provider())
  const read = async () => (await started.admin.get(`/Accounts/${account_sid}/RecentCalls?page=1&count=25`)).status
  expect(await read()).toBe(503)
  await other.restart()
  expect(await read()).toBe(200)
  await started.close()
  await other.stop()
})

test('the health of a carrier counts its calls, and has no counts without ClickHouse', async () => {
  const service_provider_sid = await api.provider()
  const account_sid = await api.account(service_provider_sid)
  const name = `carrier ' \\ ${randomUUID()}`
  const carrier = await api.admin.post('/VoipCarriers', { name, account_sid })
  const sink = createSink(api.sinks)
  const call = (answered: boolean) =>
    callRecord(account_sid, { service_provider_sid, time: BigInt(time), trunk: name, answered })
  await sink.writeCalls([call(true), call(false), call(false)])
  const read = async () => (await api.admin.get(`/patchbay/carriers/${member(carrier, 'sid')}/health`)).body
  expect(await read()).toMatchObject({ calls: { attempts: 3, answered: 1 } })
  await server.kill()
  expect(await read()).toMatchObject({ calls: null })
  await server.restart()
  expect(await read()).toMatchObject({ calls: { attempts: 3, answered: 1 } })
})

test('metrics of providers count the calls in ClickHouse', async () => {
  const service_provider_sid = await api.provider()
  const account_sid = await api.account(service_provider_sid)
  const owner = { service_provider_sid, time: BigInt(time) }
  const calls = [true, true, false].map((answered) => callRecord(account_sid, { ...owner, answered }))
  await api.sinks.calls.store([...calls, callRecord(account_sid, { ...owner, time: BigInt(time) - 25n * hourNs })])
  const metrics = createMetrics()
  const { callActivity, database } = api.services
  metrics.describe(
    database,
    { version: '', commit: null, schema: '' },
    { maxProviders: 100, hasBackups: false, callActivity },
  )
  const text = await metrics.registry.metrics()
  metrics.close()
  const name = `patchbay_provider_calls_last_day{service_provider_sid="${service_provider_sid}",answered=`
  expect(text).toContain(`${name}"true"} 2`)
  expect(text).toContain(`${name}"false"} 1`)
})

test('the status names the store, its size, and the records that wait', async () => {
  expect(await readCalls()).toMatchObject({
    state: 'ok',
    detail: expect.stringMatching(/^Port \d+ receives call records\. ClickHouse stores \d+ call records in \d+ MB\.$/),
    version: expect.stringMatching(/^\d+\.\d+/),
  })
  await server.kill()
  expect(await write(await api.account(await api.provider()), randomUUID())).toBe(204)
  await expect
    .poll(async () => (await readCalls())?.detail)
    .toMatch(/ClickHouse server .* 1 MB of call records wait on the disk of this process\.$/)
  expect(await readCalls()).toMatchObject({ state: 'failing' })
  await server.restart()
  await expect.poll(async () => (await readCalls())?.state).toBe('ok')
})

test('the intakes store traces, log lines, and SIP in ClickHouse, and the status describes them', async () => {
  const service_provider_sid = await api.provider()
  const account_sid = await api.account(service_provider_sid)
  const call_sid = randomUUID()
  const trace_id = randomUUID().replaceAll('-', '')
  await api.sinks.calls.store([callRecord(account_sid, { service_provider_sid, call_sid, trace_id })])
  const post = (path: string, body: string) =>
    fetch(`http://127.0.0.1:${otlpPort}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
  // Exports that arrive at the same time share a batch.
  const exports = Array.from({ length: 5 }, (_, index) => {
    const spans = [otlpSpan(trace_id, { name: `span ${index}` })]
    return post('/v1/traces', JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }))
  })
  for (const response of await Promise.all(exports)) expect([response.status, await response.json()]).toEqual([200, {}])
  expect(await server.query(`SELECT count() FROM trace_parts WHERE trace_id = '${trace_id}'`)).toBe('5\n')
  const log = await post('/logs', JSON.stringify({ callSid: call_sid, accountSid: account_sid, msg: 'one' }))
  expect(await log.json()).toEqual({ stored: 1, dropped: 0 })
  await api.sinks.captures.store([seenMessage(randomUUID())])
  const { body } = await api.admin.get(`/Accounts/${account_sid}/RecentCalls/trace/${trace_id}`)
  expect((body as { resourceSpans: unknown[] }).resourceSpans).toHaveLength(5)
  expect((await api.admin.get(`/Accounts/${account_sid}/RecentCalls/${call_sid}/logs`)).body).toEqual([
    expect.stringContaining('one'),
  ])
  for (const [name, nouns] of [
    ['traces', 'traces'],
    ['logs', 'log lines'],
    ['captures', 'captured SIP'],
  ] as const)
    await expect
      .poll(() => readComponent(name))
      .toMatchObject({
        state: 'ok',
        detail: expect.stringMatching(
          new RegExp(String.raw`^Port \d+ receives ${nouns}\. ClickHouse stores ${nouns} in 1 MB\.$`),
        ),
        last_contact: expect.stringMatching(/^20/),
      })
  for (const table of ['patchbay_trace_parts', 'patchbay_log_parts', 'patchbay_sip_messages'] as const)
    expect(await api.test.database.db.selectFrom(table).selectAll().execute()).toEqual([])
})

test('check-config reports whether ClickHouse accepts the credentials', async () => {
  const check = async (url: string) => {
    const checks = await checkConnections(testConfiguration({ CLICKHOUSE_URL: url }))
    return checks.find(({ service }) => service === 'ClickHouse server')
  }
  expect(await check(server.url)).toMatchObject({
    isReachable: true,
    detail: expect.stringMatching(/^ClickHouse \d+\.\d+\S* responds\.$/),
  })
  const rejected = await check(server.url.replace(/:[^:@]*@/, ':wrong@'))
  expect(rejected).toMatchObject({ isReachable: false, detail: 'The ClickHouse server rejected the credentials.' })
  const absent = await check(`http://127.0.0.1:${await freePort()}/patchbay`)
  expect(absent).toMatchObject({ isReachable: false, detail: expect.stringContaining('ClickHouse server') })
})
