import { randomUUID } from 'node:crypto'
import { createSink } from '@patchbay/server/app/ingest'
import { createSqlSinks } from '@patchbay/server/call-data/call-data-sinks'
import { createInfluxIntake } from '@patchbay/server/call-data/ingest/influx-ingest'
import { createMetrics } from '@patchbay/server/metrics/metrics'
import { createMetricsServer } from '@patchbay/server/metrics/metrics-server'
import { createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import Fastify from 'fastify'
import { afterAll, expect, test } from 'vitest'

// Requests are only observed if the metrics exist before the app is created.
const metrics = createMetrics()
const api = await createTestApi({ DISABLE_RATE_LIMITS: '0', RATE_LIMIT_MAX_PER_WINDOW: '50' })
metrics.describe(
  api.test.database,
  { version: '1.2.3', commit: 'abc', schema: 'latest' },
  { maxProviders: 2, hasBackups: true, callActivity: api.services.callActivity },
)
const server = createMetricsServer(metrics, Fastify().log)
afterAll(async () => {
  await server.close()
  metrics.close()
  await api.close()
})

/** Returns the value of a time series, or undefined. */
const readValue = async (name: string, labels: Readonly<Record<string, string>> = {}): Promise<number | undefined> => {
  const { body } = await server.inject('/metrics')
  const line = body
    .split('\n')
    .find(
      (text) =>
        text.startsWith(name) &&
        /[ {]/.test(text.charAt(name.length)) &&
        Object.entries(labels).every(([label, value]) => text.includes(`${label}="${value}"`)),
    )
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1))
}

const callLine = (owner: { account_sid: string; service_provider_sid: string }, answered: boolean): string => {
  const tags = `service_provider_sid=${owner.service_provider_sid},account_sid=${owner.account_sid}`
  const fields = `call_sid="${randomUUID()}",duration=1,from="1",to="2"`
  return `cdrs,${tags},answered=${answered},direction=inbound ${fields} ${BigInt(Date.now()) * 1_000_000n}`
}

/** Sends calls to the intake as a feature server does. Returns the status of the response. */
const writeCalls = async ({ app, test: { database } }: TestApi, lines: readonly string[]): Promise<number> => {
  const intake = createInfluxIntake({ sink: createSink(createSqlSinks(database)), logger: app.log })
  try {
    const payload = lines.join('\n')
    return (await intake.inject({ method: 'POST', url: '/write?db=cdrs', payload })).statusCode
  } finally {
    await intake.close()
  }
}

test('measures requests by route template, under both prefixes of the API, and never by path', async () => {
  const service_provider_sid = await api.provider()
  const account_sid = await api.account(service_provider_sid)
  const labels = { method: 'GET', route: '/v1/Accounts/:account_sid', status_class: '2xx' }
  const count = () => readValue('patchbay_http_request_duration_seconds_count', labels)
  const before = (await count()) ?? 0
  const headers = { authorization: `Bearer ${api.admin.token}` }
  for (const prefix of ['/v1', '/api/v1', '/v1/'])
    expect((await api.app.inject({ url: `${prefix}/Accounts/${account_sid}`, headers })).statusCode).toBe(200)
  expect(await count()).toBe(before + 3)
  expect(await readValue('patchbay_http_requests_in_flight')).toBe(0)
  await api.app.inject({ url: '/v1/NoSuchThing/invented-by-a-caller' })
  await api.app.inject({ method: 'PROPFIND' as 'GET', url: '/invented-by-a-caller' })
  const { body } = await server.inject('/metrics')
  expect(body).toContain('route="unmatched"')
  expect(body).not.toContain('invented-by-a-caller')
  expect(body).not.toContain('PROPFIND')
  expect(body).not.toContain(account_sid)
})

test('measures statements, audit entries, and queues, and counts their committed changes only', async () => {
  const inserts = () =>
    readValue('patchbay_database_query_duration_seconds_count', { pool: 'main', statement: 'insert', result: 'ok' })
  const created = () => readValue('patchbay_audit_entries_total', { action: 'create' })
  const [insertsBefore = 0, createdBefore = 0] = [await inserts(), await created()]
  await api.provider('Provider of the metrics')
  expect(await inserts()).toBeGreaterThan(insertsBefore)
  expect(await created()).toBe(createdBefore + 1)
  expect((await api.admin.post('/ServiceProviders', { name: 'Provider of the metrics' })).status).toBe(422)
  expect(await created()).toBe(createdBefore + 1)
  const queue = { queue: 'writes' }
  expect(await readValue('patchbay_queue_wait_seconds_count', queue)).toBeGreaterThan(0)
  expect(await readValue('patchbay_queue_waiting', queue)).toBe(0)
  expect(await readValue('patchbay_queue_running', queue)).toBe(0)
  expect(await readValue('patchbay_database_connections_in_use', { pool: 'main' })).toBe(0)
  expect(await readValue('patchbay_database_connections_max', { pool: 'main' })).toBeGreaterThan(0)
  expect(await readValue('patchbay_build_info', { version: '1.2.3', commit: 'abc', schema: 'latest' })).toBe(1)
})

test('counts requests over the rate limit, by limit', async () => {
  const limited = () => readValue('patchbay_http_requests_limited_total', { limit: 'caller_rate' })
  expect(await limited()).toBe(0)
  const { caller } = await api.apiKey()
  const statuses = new Set<number>()
  for (let count = 1; count <= 51; count += 1) statuses.add((await caller.get('/Accounts')).status)
  expect(statuses).toEqual(new Set([200, 429]))
  expect(await limited()).toBe(1)
})

test('counts records, bytes, and rejections of an intake', async () => {
  const service_provider_sid = await api.provider()
  const owner = { account_sid: await api.account(service_provider_sid), service_provider_sid }
  const before = (await readValue('patchbay_intake_bytes_total', { intake: 'influx' })) ?? 0
  const lines = [callLine(owner, true), callLine(owner, false), 'cdrs without fields']
  expect(await writeCalls(api, lines)).toBe(400)
  expect(await readValue('patchbay_intake_records_total', { data: 'calls' })).toBe(2)
  expect(await readValue('patchbay_intake_records_rejected_total', { data: 'calls', reason: 'invalid' })).toBe(1)
  const bytes = await readValue('patchbay_intake_bytes_total', { intake: 'influx' })
  expect(bytes).toBe(before + lines.join('\n').length)
})

test('reports accounts and calls of the largest providers only, and limits their number', async () => {
  const own = createMetrics()
  try {
    const other = await createTestApi()
    try {
      const { database } = other.test
      const [large, medium, small] = [await other.provider(), await other.provider(), await other.provider()]
      const account_sid = await other.account(large)
      for (const provider of [large, large, large, medium, medium, medium, small]) await other.account(provider)
      const owner = { account_sid, service_provider_sid: large }
      const calls = [true, true, false].map((answered) => callLine(owner, answered))
      expect(await writeCalls(other, calls)).toBe(204)
      const { callActivity } = other.services
      const options = { maxProviders: 2, hasBackups: false, callActivity }
      own.describe(database, { version: '', commit: null, schema: '' }, options)
      const text = await own.registry.metrics()
      expect(text).toContain(`patchbay_provider_accounts{service_provider_sid="${large}"} 4`)
      expect(text).toContain(`patchbay_provider_accounts{service_provider_sid="${medium}"} 3`)
      expect(text).not.toContain(small)
      const callsOfLarge = `patchbay_provider_calls_last_day{service_provider_sid="${large}",answered=`
      expect(text).toContain(`${callsOfLarge}"true"} 2`)
      expect(text).toContain(`${callsOfLarge}"false"} 1`)
    } finally {
      await other.close()
    }
  } finally {
    own.close()
  }
})

test('serves nothing else, and shares one rendering between concurrent scrapes', async () => {
  const responses = await Promise.all(Array.from({ length: 20 }, () => server.inject('/metrics')))
  expect(new Set(responses.map(({ body }) => body)).size).toBe(1)
  expect(responses[0]?.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect((await server.inject('/v1/Accounts')).statusCode).toBe(404)
  expect((await api.app.inject('/metrics')).statusCode).toBe(404)
})

test('reports the last scheduled backup, failures after it, and when the next one is due', async () => {
  const { db } = api.test.database
  const read = (name: string) => readValue(`patchbay_backup_${name}`)
  const backup = { target: '/backups', size: null, reason: null, next_due_at: null, has_file: 1 } as const
  const times = { started_at: 1_790_000_000_000, ended_at: 1_790_000_090_000, heartbeat_at: 1_790_000_090_000 }
  const verified = { ...backup, ...times, name: 'a', state: 'verified', size: 4096, next_due_at: 1_790_086_400_000 }
  const failed = { ...backup, ...times, name: 'b', state: 'failed', started_at: 1_790_086_400_000 }
  await db.insertInto('patchbay_backups').values([verified, failed]).execute()
  expect(await read('last_success_timestamp_seconds')).toBe(1_790_000_000)
  expect(await read('last_duration_seconds')).toBe(90)
  expect(await read('last_size_bytes')).toBe(4096)
  expect(await read('failures')).toBe(1)
  expect(await read('due_timestamp_seconds')).toBe(1_790_086_400)
})
