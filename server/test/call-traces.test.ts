import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { attribute, findTraceAccount, parseSpans, type Span } from '@patchbay/rules/traces/traces'
import { createOtlpIntake } from '@patchbay/server/call-data/ingest/otlp-ingest'
import { removeBefore } from '@patchbay/server/call-data/retention'
import { createSqlTraces } from '@patchbay/server/call-data/traces/sql-traces'
import { storeSpans } from '@patchbay/server/call-data/traces/trace-parts'
import { toResponseSpans } from '@patchbay/server/call-data/traces/trace-response'
import { exportCall, type TracedCall } from '@patchbay/testkit/calls/traced-call'
import { isClickHouse } from '@patchbay/testkit/servers/clickhouse/clickhouse-test-database'
import { type Answer } from '@patchbay/testkit/test-api'
import { openTestApi } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { callRecord, getRow, otlpSpan, type Row, statusAndMessage, storeTrace } from './fixtures.ts'
import { openTraceIntake } from './trace-intake.ts'

/** Traces, from the published OpenTelemetry exporters to the API response, with access control. */

const api = await openTestApi()
const service_provider_sid = await api.provider()
const intake = openTraceIntake(api)
const url = await intake.listen({ host: '127.0.0.1', port: 0 })

const storeCall = (account_sid: string, trace_id: string, provider: string | null = service_provider_sid) =>
  api.sinks.calls.store([callRecord(account_sid, { service_provider_sid: provider, trace_id })])

const traceAt = (owner: string, trace_id: string): Promise<Answer> =>
  api.admin.get(`${owner}/RecentCalls/trace/${trace_id}`)

const readTrace = (account_sid: string, trace_id: string) => traceAt(`/Accounts/${account_sid}`, trace_id)

const exported = async (more: Partial<TracedCall> = {}) => {
  const account_sid = await api.account(service_provider_sid)
  const trace_id = await exportCall({ url, account_sid, call_sid: randomUUID(), ...more })
  return { account_sid, trace_id }
}

const unknown: [number, string] = [404, 'Not Found']

/** Returns the first span of a response. */
const getFirstSpan = (answer: Answer): Row => {
  const [{ instrumentationLibrarySpans }] = getRow(answer)['resourceSpans'] as [
    { instrumentationLibrarySpans: [{ spans: [Row] }] },
  ]
  return instrumentationLibrarySpans[0].spans[0]
}

const send = (spans: readonly Row[], headers: Record<string, string> = {}) =>
  intake.inject({
    method: 'POST',
    url: '/v1/traces',
    headers: { 'content-type': 'application/json', ...headers },
    payload: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
  })

describe('traces from the published exporters', () => {
  const shapes = [
    { encoding: 'proto', gzip: false },
    { encoding: 'proto', gzip: true },
    { encoding: 'http', gzip: false },
    { encoding: 'http', gzip: true },
  ] as const

  test.each(shapes)(
    'API-054 CALLS-37 are returned span by span ($encoding, gzip $gzip)',
    async ({ encoding, gzip }) => {
      const { account_sid, trace_id } = await exported({ encoding, gzip, at: 1_700_000_000_123 })
      await storeCall(account_sid, trace_id)
      const answer = await readTrace(account_sid, trace_id)
      const spans = parseSpans(answer.body)
      const [root] = spans as [Span]
      expect(root).toMatchObject({
        name: 'incoming-call',
        parent: null,
        start: 1_700_000_000_123_000_000n,
        service: 'jambonz-feature-server',
      })
      expect([attribute(root, 'finalStatus'), attribute(root, 'call.termination')]).toEqual([200, 'hangup by caller'])
      const seconds = (span: Span | undefined) => Number((span?.end ?? 0n) - (span?.start ?? 0n)) / 1e9
      expect(seconds(root)).toBeCloseTo(30, 0)
      expect(findTraceAccount(spans)).toBe(account_sid)
      const say = spans.find(({ name }) => name.startsWith('verb:say'))
      const generation = spans.find(({ name }) => name === 'tts-generation')
      expect([say?.parent, generation?.parent]).toEqual([root.id, say?.id])
      expect(seconds(say)).toBeGreaterThan(0)
      expect(generation && attribute(generation, 'tts.cached')).toBe(false)
      expect(getFirstSpan(answer)).toMatchObject({
        traceId: Buffer.from(trace_id, 'hex').toString('base64'),
        parentSpanId: expect.stringMatching(/^[\w+/]{11}=$/),
        kind: 'SPAN_KIND_INTERNAL',
        startTimeUnixNano: expect.stringMatching(/^17000000001\d{8}$/),
      })
    },
  )

  test('are stored once, even if they are sent repeatedly', async () => {
    const trace_id = await storeTrace(api)
    const account_sid = await api.account(service_provider_sid)
    await storeCall(account_sid, trace_id)
    const one = otlpSpan(trace_id, { name: 'one' })
    for (const spans of [[one], [one], [otlpSpan(trace_id, { name: 'two' })]])
      expect((await send(spans)).statusCode).toBe(200)
    const { body } = await readTrace(account_sid, trace_id)
    expect(parseSpans(body).map(({ name }) => name)).toEqual(expect.arrayContaining(['incoming-call', 'one', 'two']))
    expect(getRow({ status: 200, text: '', body } as Answer)['resourceSpans']).toHaveLength(3)
  })
})

describe('access to a trace', () => {
  test('depends on the call record, and other tenants cannot read it by its id', async () => {
    const { account_sid, trace_id } = await exported()
    await storeCall(account_sid, trace_id)
    const sibling = await api.account(service_provider_sid)
    const otherProvider = await api.provider()
    expect((await traceAt(`/ServiceProviders/${service_provider_sid}`, trace_id)).status).toBe(200)
    expect(statusAndMessage(await readTrace(sibling, trace_id))).toEqual(unknown)
    expect(statusAndMessage(await traceAt(`/ServiceProviders/${otherProvider}`, trace_id))).toEqual(unknown)
  })

  test('depends on the account in the trace while there is no call record', async () => {
    const { account_sid, trace_id } = await exported({ encoding: 'http' })
    const sibling = await api.account(service_provider_sid)
    expect((await readTrace(account_sid, trace_id)).status).toBe(200)
    expect((await traceAt(`/ServiceProviders/${service_provider_sid}`, trace_id)).status).toBe(200)
    expect(statusAndMessage(await readTrace(sibling, trace_id))).toEqual(unknown)
    expect(statusAndMessage(await traceAt(`/ServiceProviders/${await api.provider()}`, trace_id))).toEqual(unknown)
  })

  test('is denied to all tenants if a trace names two accounts', async () => {
    const [one, two] = [await api.account(service_provider_sid), await api.account(service_provider_sid)]
    const named = [one, two].map((stringValue) => ({ key: 'accountSid', value: { stringValue } }))
    const trace_id = await storeTrace(api, { attributes: named })
    expect(statusAndMessage(await readTrace(one, trace_id))).toEqual(unknown)
  })

  test.each(['0'.repeat(32), randomUUID(), 'x', 'a'.repeat(32), "' OR 1=1"])('%s is not found', async (trace_id) => {
    const account_sid = await api.account(service_provider_sid)
    await storeCall(account_sid, '0'.repeat(32))
    expect((await readTrace(account_sid, encodeURIComponent(trace_id))).status).toBe(404)
  })
})

describe('the ingest server', () => {
  const post = (payload: string | Buffer, headers: Record<string, string>, to = intake) =>
    to.inject({ method: 'POST', url: '/v1/traces', payload, headers })
  const json = { 'content-type': 'application/json' }
  const protobuf = { 'content-type': 'application/x-protobuf' }

  test.each([
    ['an unknown type', 'x', { 'content-type': 'text/plain' }, 415],
    ['JSON that is none', '{', json, 400],
    ['JSON that is no object', '7', json, 400],
    ['protobuf that is none', Buffer.from('nonsense, and more of it'), protobuf, 400],
    ['gzip that is none', '{}', { ...json, 'content-encoding': 'gzip' }, 400],
    ['what unpacks to more than 8 MB', gzipSync(Buffer.alloc(9_000_000)), { ...json, 'content-encoding': 'gzip' }, 413],
    ['a web page', '{}', { ...json, origin: 'https://example.org' }, 403],
  ] as const)('rejects %s', async (_what, payload, headers, status) => {
    expect((await post(payload, headers)).statusCode).toBe(status)
  })

  test('rejects writers without credentials if they are configured', async () => {
    const credentials = { username: 'writer', password: 'secret' }
    const guarded = createOtlpIntake({ sink: api.sinks.traces, logger: api.app.log, credentials })
    const basic = (text: string) => ({ ...json, authorization: `Basic ${Buffer.from(text).toString('base64')}` })
    expect((await post('{}', json, guarded)).statusCode).toBe(401)
    expect((await post('{}', basic('writer:wrong'), guarded)).statusCode).toBe(401)
    expect((await post('{}', basic('writer:secret'), guarded)).statusCode).toBe(200)
    await guarded.close()
  })

  test('counts spans without ids and stores the others', async () => {
    const account_sid = await api.account(service_provider_sid)
    const trace_id = randomUUID().replaceAll('-', '')
    await storeCall(account_sid, trace_id)
    const answer = await send([otlpSpan(trace_id), otlpSpan('0'.repeat(32)), otlpSpan(trace_id, { spanId: 'x' })])
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      { partialSuccess: { rejectedSpans: 2, errorMessage: 'spans need a trace id, a span id and a start' } },
    ])
    expect(parseSpans((await readTrace(account_sid, trace_id)).body)).toHaveLength(1)
  })

  test('truncates deeply nested values', async () => {
    const account_sid = await api.account(service_provider_sid)
    const trace_id = randomUUID().replaceAll('-', '')
    await storeCall(account_sid, trace_id)
    const deep = 5000
    const value = `${'{"arrayValue":{"values":['.repeat(deep)}{"intValue":"7"}${']}}'.repeat(deep)}`
    const span = JSON.stringify(otlpSpan(trace_id, { attributes: 0 })).replace(
      '"attributes":0',
      `"attributes":[{"key":"deep","value":${value}},{"key":"whole","value":{"intValue":"7"}}]`,
    )
    const answer = await post(`{"resourceSpans":[{"scopeSpans":[{"spans":[${span}]}]}]}`, json)
    expect(answer.statusCode).toBe(200)
    const [only] = parseSpans((await readTrace(account_sid, trace_id)).body) as [Span]
    expect(attribute(only, 'whole')).toBe(7)
  })

  test('returns a trace of 5,000 spans completely', async () => {
    const account_sid = await api.account(service_provider_sid)
    const trace_id = randomUUID().replaceAll('-', '')
    await storeCall(account_sid, trace_id)
    await send(Array.from({ length: 5000 }, (_, n) => otlpSpan(trace_id, { name: `verb:${n}` })))
    expect(parseSpans((await readTrace(account_sid, trace_id)).body)).toHaveLength(5000)
  })
})

const createResourceSpans = (trace_id: string) =>
  toResponseSpans([{ scopeSpans: [{ spans: [otlpSpan(trace_id, { spanId: '0123456789abcdef' })] }] }]).traces.get(
    trace_id,
  ) ?? []

test.skipIf(isClickHouse)('traces older than the retention period are deleted', async () => {
  const { database } = api.test
  const [old, young] = ['1', '2'].map((digit) => digit.repeat(32)) as [string, string]
  for (const [trace_id, at] of [
    [old, 1000],
    [young, 3000],
  ] as const)
    await storeSpans(
      createSqlTraces(database, () => at),
      trace_id,
      createResourceSpans(trace_id),
    )
  await removeBefore(database, 'calls', 2000)
  const traces = createSqlTraces(database)
  expect([await traces.read(old), await traces.read(young)]).toEqual([
    undefined,
    { resourceSpans: createResourceSpans(young) },
  ])
})
