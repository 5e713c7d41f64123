import { type FakeJaeger, startFakeJaeger } from '@patchbay/testkit/fakes/jaeger'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { mebibyte } from '../../adapters/outbound-http/transport.ts'
import { createJaegerTraces } from './jaeger-traces.ts'

let jaeger: FakeJaeger
beforeEach(async () => {
  jaeger = await startFakeJaeger()
})
afterEach(() => jaeger.stop())

const trace_id = 'c0ffee00c0ffee00c0ffee00c0ffee00'
const base64 = Buffer.from(trace_id, 'hex').toString('base64')
const times = { startTimeUnixNano: '1700000000000000000', endTimeUnixNano: '1700000001000000000' }
const span = { traceId: base64, spanId: Buffer.alloc(8, 1).toString('base64'), kind: 'SPAN_KIND_INTERNAL', ...times }
const older = { instrumentationLibrary: { name: 'n' }, spans: [span] }
const newer = { scope: { name: 'n' }, spans: [{ ...span, traceId: trace_id, spanId: '01'.repeat(8), kind: 1 }] }
const result = (...scopes: object[]) => JSON.stringify({ result: { resourceSpans: scopes } })

const read = (id = trace_id) => createJaegerTraces(`${jaeger.base}/`).read(id)

test.each([
  ['older names and base64', result({ instrumentationLibrarySpans: [older] })],
  ['newer names and hex', result({ scopeSpans: [newer] })],
  ['several results, each on its line', `${result({ scopeSpans: [newer] })}\n${result({ scopeSpans: [] })}\n`],
  ['a result without spans', `${JSON.stringify({ result: {} })}\r\n${result({ scopeSpans: [newer] })}`],
])('reads a trace with %s', async (_, body) => {
  jaeger.traces.set(trace_id, body)
  const ids = { traceId: base64, spanId: 'AQEBAQEBAQE=', parentSpanId: 'AAAAAAAAAAA=' }
  const spans = [{ ...ids, kind: 'SPAN_KIND_INTERNAL' }]
  const instrumentationLibrarySpans = [{ instrumentationLibrary: { name: 'n', version: '' }, spans }]
  expect(await read()).toMatchObject({ resourceSpans: [{ instrumentationLibrarySpans }] })
  expect(jaeger.requests).toEqual([`/api/v3/traces/${trace_id}`])
})

test('returns undefined if Jaeger has no trace, rejects its id, or returns another trace', async () => {
  expect([await read(), await read('x')]).toEqual([undefined, undefined])
  for (const body of [result(), JSON.stringify({ result: {} }), result({ scopeSpans: [newer] })]) {
    jaeger.traces.set('1'.repeat(32), body)
    expect(await read('1'.repeat(32))).toBeUndefined()
  }
})

const away = { status: 404, code: 'traces_unavailable' }

test.each([
  ['an error status', 500, 'text/plain', 'x'],
  ['missing credentials', 401, 'application/json', '{}'],
  ['a sign-in page of a proxy', 200, 'text/html', '<html><body>\n  Sign in\n</body></html>'],
  ['a redirect', 302, 'text/html', ''],
  ['the shape of the older API', 200, 'application/json', '{"data":[{"traceID":"c0ffee","spans":[]}]}'],
  ['an error after the first result', 200, 'application/json', `${result()}\n{"error":{"message":"storage"}}`],
  ['more than 16 MiB', 200, 'application/json', JSON.stringify({ result: 'x'.repeat(16 * mebibyte) })],
])('reports %s as an error', async (_, status, type, body) => {
  jaeger.answer = (response) => response.writeHead(status, { 'content-type': type, location: '/login' }).end(body)
  await expect(read()).rejects.toMatchObject(away)
})

test('reports an unreachable Jaeger as an error', async () => {
  const { base } = jaeger
  await jaeger.stop()
  await expect(createJaegerTraces(base).read(trace_id)).rejects.toMatchObject(away)
  jaeger = await startFakeJaeger()
})
