import { checkConnections } from '@patchbay/server/app/check-connections'
import { createSink, openConfiguredCallWriter, startIngestServers } from '@patchbay/server/app/ingest'
import type { CallWriter } from '@patchbay/server/call-data/clickhouse/call-writer'
import { type ClickHouseServer, startClickHouse } from '@patchbay/testkit/clickhouse/clickhouse'
import { freePort } from '@patchbay/testkit/ports'
import { createTestApi, member, type TestApi, testConfiguration } from '@patchbay/testkit/test-api'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** Checks of a configuration with ClickHouse, its status, and the intake. */

let server: ClickHouseServer
let api: TestApi
let port: number
let writer: CallWriter | undefined
let stopIntakes: () => Promise<void>

beforeAll(async () => {
  server = await startClickHouse()
  port = await freePort()
  api = await createTestApi({ ...server.settings, INTAKE_INFLUX: String(port), INTAKE_OTLP: '0', INTAKE_HEP: '0' })
  const { configuration, database, intakes } = api.services
  writer = await openConfiguredCallWriter(configuration, database, api.app.log, 0)
  stopIntakes = await startIngestServers(configuration, database, api.app.log, 1000, intakes)
})

afterAll(async () => {
  await stopIntakes()
  await writer?.close()
  await api.close()
  await server.stop()
})

const time = `${Date.now()}000000`

const write = async (account_sid: string, call_sid: string): Promise<number> => {
  const line = `cdrs,account_sid=${account_sid},answered=true,direction=inbound call_sid="${call_sid}",duration=12i ${time}`
  const response = await fetch(`http://127.0.0.1:${port}/write?db=cdrs`, { method: 'POST', body: line })
  return response.status
}

const readCalls = async () => {
  const { body } = await api.admin.get('/patchbay/system-status')
  const { components } = body as { components: { id: string; state: string; detail: string; version: string | null }[] }
  return components.find(({ id }) => id === 'calls')
}

test('the intake stores call records in ClickHouse, and alerts in the database', async () => {
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
  const sink = createSink(api.test.database, undefined, writer)
  const point = (answered: string) => ({
    line: 1,
    measurement: 'cdrs',
    time: BigInt(time),
    tags: { account_sid, service_provider_sid, trunk: name, answered },
    fields: { call_sid: randomUUID() },
  })
  await sink.writeCalls([point('true'), point('false'), point('false')])
  const read = async () => (await api.admin.get(`/patchbay/carriers/${member(carrier, 'sid')}/health`)).body
  expect(await read()).toMatchObject({ calls: { attempts: 3, answered: 1 } })
  await server.kill()
  expect(await read()).toMatchObject({ calls: null })
  await server.restart()
  expect(await read()).toMatchObject({ calls: { attempts: 3, answered: 1 } })
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
