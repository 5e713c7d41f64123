import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '@patchbay/testkit/peers/otlp-receiver'
import { testConfiguration } from '@patchbay/testkit/test-api'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { runInContext, type Span, type SpanStart, startSpan } from '../lib/spans.ts'
import { queryEvents } from '../lib/telemetry.ts'
import { createTracing, type Tracing } from './create-tracing.ts'

/** Traces that the sampler leaves out, through the tracer of the product. */

const receiver: OtlpReceiver = await startOtlpReceiver()
let tracing: Tracing | undefined

const start = (more: NodeJS.ProcessEnv = {}): void => {
  const { tracingExport } = testConfiguration({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_TRACES_SAMPLER_ARG: '0',
    TRACES_SLOW_REQUEST_MS: '600000',
    ...more,
  })
  if (tracingExport === null) throw new Error('traces are disabled')
  tracing = createTracing(tracingExport, { engine: 'sqlite', file: 'unused' }, '1.2.3')
}

/** Returns the spans of all traces that have been exported. */
const readSpans = async (): Promise<ReceivedSpan[]> => {
  await tracing?.close()
  tracing = undefined
  return receiver.spans
}

beforeEach(() => {
  receiver.spans.length = 0
})
afterEach(() => tracing?.close())
afterAll(() => receiver.stop())

const begin = (more: Partial<SpanStart> = {}): Span => {
  const span = startSpan({ name: 'GET /v1/Things', kind: 'server', traceId: 'a'.repeat(32), ...more })
  if (span === undefined) throw new Error('no span')
  return span
}

const runStatement = (span: Span, sql: string): void =>
  runInContext({ span }, () => queryEvents.publish({ pool: 'main', sql, seconds: 0.25, hasFailed: false }))

test('exports nothing of a request that succeeds in time', async () => {
  start()
  const span = begin()
  runStatement(span, 'SELECT 1')
  span.startChild({ name: 'POST', kind: 'client' }).end({ hasFailed: true })
  span.end()
  expect(await readSpans()).toEqual([])
})

test('exports all spans of a request that fails, with their IDs, times, and attributes', async () => {
  start()
  const span = begin({ attributes: { 'http.route': '/v1/Things' } })
  const outgoing = span.startChild({ name: 'POST', kind: 'client', attributes: { 'server.address': 'example.org' } })
  const { traceparent } = outgoing.headers()
  runStatement(outgoing, 'SELECT 2')
  outgoing.end({ attributes: { 'http.response.status_code': 204 } })
  runStatement(span, 'INSERT INTO things VALUES (?)')
  span.end({ hasFailed: true, attributes: { 'http.response.status_code': 500 } })
  span.end()
  const spans = await readSpans()
  const byName = (name: string) => spans.find((each) => each.name === name)
  expect(spans.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
    ['GET /v1/Things', ''],
    ['POST', span.spanId],
    ['SELECT', outgoing.spanId],
    ['INSERT', span.spanId],
  ])
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([span.traceId]))
  expect(traceparent).toBe(`00-${span.traceId}-${outgoing.spanId}-00`)
  expect(byName('GET /v1/Things')).toMatchObject({
    spanId: span.spanId,
    hasFailed: true,
    attributes: { 'http.route': '/v1/Things', 'http.response.status_code': 500 },
  })
  expect(byName('POST')).toMatchObject({
    spanId: outgoing.spanId,
    hasFailed: false,
    attributes: { 'server.address': 'example.org', 'http.response.status_code': 204 },
  })
  expect(byName('INSERT')?.attributes).toMatchObject({ 'db.query.text': 'INSERT INTO things VALUES (?)' })
})

test('exports a slow request, but no job that only takes long', async () => {
  start({ TRACES_SLOW_REQUEST_MS: '1' })
  const request = begin()
  const job = begin({ name: 'job of the test', kind: 'internal', isRoot: true, traceId: undefined })
  const startedAt = performance.now()
  await expect.poll(() => performance.now() - startedAt).toBeGreaterThan(5)
  job.end()
  request.end()
  expect((await readSpans()).map(({ name }) => name)).toEqual(['GET /v1/Things'])
})

test('adds work that ends after the response to an exported trace only', async () => {
  start()
  for (const hasFailed of [true, false]) {
    const span = begin()
    const later = span.startChild({ name: `job after ${hasFailed ? 'a failure' : 'success'}`, kind: 'internal' })
    span.end({ hasFailed })
    runStatement(later, 'SELECT 3')
    later.end()
    runStatement(later, 'SELECT 4')
  }
  const names = (await readSpans()).map(({ name }) => name)
  expect(names).toEqual(['GET /v1/Things', 'job after a failure', 'SELECT', 'SELECT'])
})

test('remembers a limited number of spans', async () => {
  start()
  const span = begin()
  for (let count = 0; count < 1000; count += 1) runStatement(span, 'SELECT 5')
  span.end({ hasFailed: true })
  expect(await readSpans()).toHaveLength(257)
})

test.each([
  ['the decision of a trusted proxy', 'parentbased_traceidratio', []],
  ['a sampler that exports nothing', 'always_off', []],
  ['no proxy if the sampler does not', 'traceidratio', ['b'.repeat(16)]],
])('follows %s', async (_name, sampler, parents) => {
  start({ OTEL_TRACES_SAMPLER: sampler })
  const span = begin({ headers: { traceparent: `00-${'c'.repeat(32)}-${'b'.repeat(16)}-00` } })
  runStatement(span, 'SELECT 6')
  span.end({ hasFailed: true })
  const requests = (await readSpans()).filter(({ kind }) => kind === 2)
  expect(requests.map(({ parentSpanId }) => parentSpanId)).toEqual(parents)
})
