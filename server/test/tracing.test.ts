import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createOutgoing } from '@patchbay/server/adapters/outbound-http/outgoing'
import { operatorTransport } from '@patchbay/server/adapters/outbound-http/transport'
import { createApp } from '@patchbay/server/app/app'
import { startTracing } from '@patchbay/server/app/start-tracing'
import { observeJob } from '@patchbay/server/lib/run-periodically'
import { withSpan } from '@patchbay/server/lib/spans'
import { type ReceivedSpan, startOtlpReceiver } from '@patchbay/testkit/peers/otlp-receiver'
import { getPort } from '@patchbay/testkit/servers/ports'
import { createTestApi, testConfiguration } from '@patchbay/testkit/test-api'
import { isMysql } from '@patchbay/testkit/test-database'
import { afterAll, expect, test } from 'vitest'

/** Patchbay's own traces, on both engines. Requests only get spans if the tracer exists before the app is created. */

const receiver = await startOtlpReceiver()
const { tracingExport } = testConfiguration({
  OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-receiver',
  OTEL_TRACES_SAMPLER: 'parentbased_always_on',
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=tests',
  OTEL_BSP_SCHEDULE_DELAY: '10',
  OTEL_BSP_MAX_QUEUE_SIZE: '100000',
})
const database = isMysql
  ? ({ engine: 'mysql', url: 'mysql://root:secret-of-mysql@127.0.0.1/tests', connections: 1 } as const)
  : ({ engine: 'sqlite', file: 'unused' } as const)
const tracing = await startTracing({ tracingExport, database })
const api = await createTestApi({ JAMBONES_TRUST_PROXY: '1' })
afterAll(async () => {
  await tracing?.close()
  await api.close()
  await receiver.stop()
})

/** Resolves with the spans of the trace of a request, when its first span has arrived, which ends last. */
const readTrace = async (requestId: unknown): Promise<ReceivedSpan[]> => {
  const isRequest = ({ attributes }: ReceivedSpan) => attributes['patchbay.request.id'] === requestId
  await expect.poll(() => receiver.spans.some(isRequest)).toBe(true)
  const traceId = receiver.spans.find(isRequest)?.traceId
  return receiver.spans.filter((span) => span.traceId === traceId)
}

const send = (
  method: 'GET' | 'POST' | 'DELETE',
  url: string,
  { payload, headers = {} }: { payload?: object; headers?: Record<string, string> } = {},
) =>
  api.app.inject({
    method,
    url,
    headers: { authorization: `Bearer ${api.admin.token}`, ...headers },
    ...(payload ? { payload } : {}),
  })

test('exports a request with its statements and its wait in a queue, without values', async () => {
  const name = `Provider-${randomUUID()}`
  const response = await send('POST', '/api/v1/ServiceProviders?secret=in-the-query', { payload: { name } })
  const { sid } = response.json<{ sid: string }>()
  const [root, ...children] = (await readTrace(response.headers['x-request-id'])).toSorted(
    (a, b) => a.startMs - b.startMs || b.endMs - a.endMs,
  )
  // The ID that the console shows with an error finds the trace too.
  expect(root?.traceId).toBe(String(response.headers['x-request-id']).replaceAll('-', ''))
  expect(root).toMatchObject({
    name: 'POST /v1/ServiceProviders',
    kind: 2,
    parentSpanId: '',
    hasFailed: false,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/v1/ServiceProviders',
      'http.response.status_code': 201,
      'url.scheme': 'http',
    },
    resource: { 'service.name': 'patchbay', 'deployment.environment.name': 'tests' },
  })
  expect(new Set(children.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([root?.spanId]))
  for (const { startMs, endMs } of children) {
    expect(startMs).toBeGreaterThanOrEqual((root?.startMs ?? 0) - 1)
    expect(endMs).toBeLessThanOrEqual((root?.endMs ?? 0) + 1)
  }
  expect(children.filter((span) => span.name === 'wait writes')).toMatchObject([
    { kind: 1, attributes: { 'patchbay.queue.name': 'writes' } },
  ])
  const inserts = children.filter((span) => span.name === 'INSERT')
  expect(inserts[0]).toMatchObject({
    kind: 3,
    attributes: {
      'db.system.name': isMysql ? 'mysql' : 'sqlite',
      'db.operation.name': 'INSERT',
      'db.query.text': expect.stringMatching(/^insert into [`"]service_providers[`"] .*\?/),
      'patchbay.database.pool': 'main',
      ...(isMysql ? { 'server.address': '127.0.0.1', 'server.port': 3306, 'db.namespace': 'tests' } : {}),
    },
  })
  const names = children.map((span) => span.name)
  expect(names.filter((statement) => statement === 'BEGIN' || statement === 'COMMIT')).toEqual(['BEGIN', 'COMMIT'])
  expect(receiver.headers.at(-1)).toMatchObject({ authorization: 'Bearer of-the-receiver' })
  const exported = receiver.bodies.join('\n')
  for (const secret of [name, sid, api.admin.token, 'in-the-query', 'secret-of-mysql', 'of-the-receiver'])
    expect(exported).not.toContain(secret)
})

test('marks statements and requests that fail, but not rejected requests', async () => {
  const taken = await api.provider()
  const unknown = await send('GET', `/v1/Accounts/${randomUUID()}`)
  const [rejected] = await readTrace(unknown.headers['x-request-id'])
  expect(rejected).toBeDefined()
  const roots = (await readTrace(unknown.headers['x-request-id'])).filter(({ parentSpanId }) => parentSpanId === '')
  expect(roots).toMatchObject([{ hasFailed: false, attributes: { 'http.response.status_code': 404 } }])
  await expect(
    withSpan({ name: 'a job', kind: 'internal' }, () =>
      api.test.database.db
        .insertInto('service_providers')
        .values({ service_provider_sid: taken, name: 'the same sid again' })
        .execute(),
    ),
  ).rejects.toThrow(/unique|duplicate/i)
  const isFailed = ({ name, hasFailed }: ReceivedSpan) => name === 'INSERT' && hasFailed
  await expect.poll(() => receiver.spans.find(isFailed)?.attributes['error.type']).toBe('_OTHER')
})

test('continues the trace of a trusted proxy only, and does not export what it does not sample', async () => {
  const traceId = 'a'.repeat(32)
  const traceparent = `00-${traceId}-${'b'.repeat(16)}-01`
  const continued = await send('GET', '/v1/Accounts', { headers: { traceparent } })
  const spans = await readTrace(continued.headers['x-request-id'])
  expect(spans.find(({ kind }) => kind === 2)).toMatchObject({ traceId, parentSpanId: 'b'.repeat(16) })
  const unsampled = `00-${'c'.repeat(32)}-${'b'.repeat(16)}-00`
  await send('GET', '/v1/Accounts', { headers: { traceparent: unsampled } })
  const configuration = { ...api.services.configuration, trustedProxies: 0 }
  const direct = await createApp({ configuration, database: api.test.database })
  try {
    const headers = { traceparent, authorization: `Bearer ${api.admin.token}` }
    const own = await direct.inject({ url: '/v1/Accounts', headers })
    const [root] = (await readTrace(own.headers['x-request-id'])).filter(({ kind }) => kind === 2)
    expect(root).toMatchObject({ parentSpanId: '' })
    expect(root?.traceId).not.toBe(traceId)
  } finally {
    await direct.close()
  }
  expect(receiver.spans.some((span) => span.traceId === 'c'.repeat(32))).toBe(false)
})

test('keeps the traces of 300 parallel requests apart', async () => {
  const provider = await api.provider()
  const requests = Array.from({ length: 300 }, (_, index) =>
    index % 4 === 0
      ? send('POST', '/v1/Accounts', { payload: { name: `Account ${index}`, service_provider_sid: provider } })
      : send('GET', '/v1/Accounts'),
  )
  const responses = await Promise.all(requests)
  expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([200, 201]))
  const shapes = { POST: new Set<string>(), GET: new Set<string>() }
  const traceIds = new Set<string>()
  for (const { headers, statusCode } of responses) {
    const spans = await readTrace(headers['x-request-id'])
    const [root, ...others] = spans.filter(({ kind }) => kind === 2)
    expect(others).toEqual([])
    traceIds.add(root?.traceId ?? '')
    const parents = spans.filter((span) => span !== root).map(({ parentSpanId }) => parentSpanId)
    expect(new Set(parents)).toEqual(new Set([root?.spanId]))
    const names = spans.map(({ name, attributes }) => `${name} ${JSON.stringify(attributes['db.query.text'])}`)
    shapes[statusCode === 201 ? 'POST' : 'GET'].add(names.toSorted().join('\n'))
  }
  expect(traceIds.size).toBe(300)
  // Requests of the same kind have the same statements and waits: none of another one, and none is missing.
  expect(shapes.GET.size).toBe(1)
  expect(shapes.POST.size).toBe(1)
  expect([...shapes.POST][0]).toContain('wait writes')
})

test('runs each job in a trace of its own, and reports its failure without the message', async () => {
  const readRows = () => api.test.database.db.selectFrom('accounts').select('account_sid').execute()
  await observeJob('job_of_the_test', async () => void (await readRows()))
  const fail = async () => {
    throw Object.assign(new Error('secret of the job'), { code: 'E_JOB' })
  }
  await expect(observeJob('failing_job', fail)).rejects.toThrow('secret of the job')
  await expect
    .poll(() => receiver.spans.find(({ name }) => name === 'job failing_job'))
    .toMatchObject({
      parentSpanId: '',
      hasFailed: true,
      attributes: { 'error.type': 'E_JOB' },
    })
  const job = receiver.spans.find(({ name }) => name === 'job job_of_the_test')
  expect(receiver.spans.filter(({ parentSpanId }) => parentSpanId === job?.spanId)).toMatchObject([{ name: 'SELECT' }])
  expect(receiver.bodies.join('\n')).not.toContain('secret of the job')
})

test('continues a trace in components of the platform, and sends no IDs to tenants and vendors', async () => {
  const received: (string | undefined)[] = []
  const server = createServer((request, response) => {
    received.push(request.headers['traceparent'] as string | undefined)
    response.writeHead(request.url === '/missing' ? 404 : 200).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = getPort(server)
  const outgoing = createOutgoing({ privateNetworks: ['127.0.0.0/8'], vendorAddresses: {} })
  const origin = `http://127.0.0.1:${port}`
  try {
    await withSpan({ name: 'caller', kind: 'internal' }, async () => {
      const stop = AbortSignal.timeout(10_000)
      await outgoing.send(`${origin}/hooks/secret-path?token=secret-value`, { method: 'POST', stop })
      await operatorTransport.send(`${origin}/missing`, { service: 'jaeger', continuesTrace: true })
    })
  } finally {
    server.closeAllConnections()
    server.close()
  }
  const isOwn = ({ attributes }: ReceivedSpan) => attributes['server.port'] === port
  await expect.poll(() => receiver.spans.filter(isOwn).length).toBe(2)
  const [toTenant, toPlatform] = receiver.spans.filter(isOwn).toSorted((a, b) => a.startMs - b.startMs)
  expect(toTenant).toMatchObject({
    name: 'POST',
    kind: 3,
    hasFailed: false,
    attributes: {
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'server.address': '127.0.0.1',
      'url.scheme': 'http',
      'patchbay.service': 'other',
    },
  })
  expect(toPlatform).toMatchObject({
    name: 'GET',
    hasFailed: true,
    attributes: { 'http.response.status_code': 404, 'error.type': '404', 'patchbay.service': 'jaeger' },
  })
  expect(received).toEqual([undefined, `00-${toPlatform?.traceId}-${toPlatform?.spanId}-01`])
  expect(receiver.bodies.join('\n')).not.toMatch(/secret-path|secret-value/)
})

test('reports that the client of a request disconnected', async () => {
  const app = await createApp({ configuration: api.services.configuration, database: api.test.database })
  const client = new AbortController()
  let requestId: string | undefined
  app.get('/v1/waits-for-the-client', (request) => {
    requestId = request.id
    client.abort()
  })
  try {
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    await expect(fetch(`${url}/v1/waits-for-the-client`, { signal: client.signal })).rejects.toThrow('aborted')
    const [root] = await readTrace(requestId)
    expect(root).toMatchObject({ hasFailed: true, attributes: { 'error.type': 'client_disconnected' } })
    expect(root?.attributes).not.toHaveProperty('http.response.status_code')
  } finally {
    await app.close()
  }
})

test('adds the IDs of the trace and of the request to each line that is logged meanwhile', async () => {
  const lines: Record<string, unknown>[] = []
  const log = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) }
  const configuration = { ...api.services.configuration, accessLog: true }
  const app = await createApp({ configuration, database: api.test.database, log })
  app.get('/v1/logs-something', (request, reply) => {
    app.log.info('by the application')
    request.log.info('by the request')
    void reply.send('')
  })
  try {
    const { headers } = await app.inject('/v1/logs-something')
    const [root] = await readTrace(headers['x-request-id'])
    const ids = { reqId: headers['x-request-id'], trace_id: root?.traceId, span_id: root?.spanId }
    expect(lines).toMatchObject([
      { msg: 'by the application', ...ids },
      { msg: 'by the request', ...ids },
      { msg: 'request completed', ...ids },
    ])
    app.log.info('outside')
    expect(lines.at(-1)).not.toHaveProperty('reqId')
    expect(lines.at(-1)).not.toHaveProperty('trace_id')
  } finally {
    await app.close()
  }
})
