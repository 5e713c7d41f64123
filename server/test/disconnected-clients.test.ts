import { Readable } from 'node:stream'
import { createApp } from '@patchbay/server/app/app'
import { inTransaction } from '@patchbay/server/database/engine'
import { createMetrics } from '@patchbay/server/metrics/metrics'
import { createTestApi } from '@patchbay/testkit/test-api'
import { afterAll, expect, test } from 'vitest'

/** Metrics and access log of requests whose client disconnects. */

// Requests are only observed if the metrics exist before the app is created.
const metrics = createMetrics()
const api = await createTestApi()
const lines: Record<string, unknown>[] = []
const app = await createApp({
  configuration: { ...api.services.configuration, accessLog: true },
  database: api.test.database,
  log: { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
})
app.get('/v1/endless', () => Readable.from(['begins', new Promise<never>(() => {})]))
const url = await app.listen({ host: '127.0.0.1', port: 0 })
afterAll(async () => {
  await app.close()
  metrics.close()
  await api.close()
})

/** Returns the lines of the access log. */
const readLog = () => lines.filter(({ msg }) => msg === 'request completed')

const requestCount = 'patchbay_http_request_duration_seconds_count'

/** Returns the lines of a metric whose value is not 0. */
const readSeries = async (name: string): Promise<string[]> =>
  (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`) && !line.endsWith(' 0'))

test('a client that disconnects during a slow query is counted and logged as such, and not as a success', async () => {
  const { database } = api.test
  const service_provider_sid = await api.provider()
  const route = '/v1/ServiceProviders/:service_provider_sid'
  const requests = async () => (await readSeries(requestCount)).filter((line) => line.includes(`route="${route}"`))
  const client = new AbortController()
  // The update waits for this transaction, which ends when the request has been counted and logged.
  await inTransaction(database, async (tx) => {
    await tx
      .updateTable('service_providers')
      .set({ name: 'locked' })
      .where('service_provider_sid', '=', service_provider_sid)
      .execute()
    const response = fetch(`${url}/v1/ServiceProviders/${service_provider_sid}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${api.admin.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'changed' }),
      signal: client.signal,
    })
    await expect.poll(() => readSeries('patchbay_queue_running')).toContain('patchbay_queue_running{queue="writes"} 1')
    client.abort()
    await expect(response).rejects.toThrow('aborted')
    await expect.poll(requests).toEqual([expect.stringContaining('status_class="aborted"')])
    await expect.poll(readLog).toMatchObject([{ method: 'PUT', status: 499 }])
  })
  await expect
    .poll(() => readSeries('patchbay_queue_running'))
    .not.toContain('patchbay_queue_running{queue="writes"} 1')
  expect(await requests()).toEqual([expect.stringMatching(/method="PUT".*status_class="aborted".* 1$/)])
  expect(readLog()).toHaveLength(1)
})

test('a client that disconnects in the middle of a response is counted and logged with the status of the response', async () => {
  lines.length = 0
  const client = new AbortController()
  const response = await fetch(`${url}/v1/endless`, { signal: client.signal })
  client.abort()
  await expect(response.text()).rejects.toThrow('aborted')
  await expect.poll(readLog).toMatchObject([{ method: 'GET', url: '/v1/endless', status: 200 }])
  const requests = (await readSeries(requestCount)).filter((line) => line.includes('route="/v1/endless"'))
  expect(requests).toEqual([expect.stringMatching(/status_class="2xx".* 1$/)])
})
