import { type Attributes, createTraceState, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import protobuf from 'protobufjs'
import { expect, test } from 'vitest'
import { spanEncodings } from './span-encoding.ts'

/** The encodings of spans, compared with the encoders of OpenTelemetry. */

/** The messages of opentelemetry-proto v1 that the spans of Patchbay use. */
const { root } = protobuf.parse(`
syntax = "proto3";
message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeSpans { InstrumentationScope scope = 1; repeated Span spans = 2; }
message InstrumentationScope { string name = 1; string version = 2; }
message Span {
  bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; string name = 5;
  int32 kind = 6; fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9;
  Status status = 15; fixed32 flags = 16;
}
message Status { string message = 2; int32 code = 3; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
`)
const exportRequest = root.lookupType('ExportTraceServiceRequest')
const decode = (bytes: Uint8Array): object =>
  exportRequest.toObject(exportRequest.decode(bytes), { longs: String, bytes: String, defaults: true })

const attributes: Attributes = {
  empty: '',
  text: 'SELECT 1',
  '43 characters': 'x'.repeat(43),
  '127 bytes': 'x'.repeat(127),
  long: 'column, '.repeat(10_000),
  'umlauts, emoji': 'Ä€😀'.repeat(100),
  'half a character': '\ud83d',
  yes: true,
  no: false,
  zero: 0,
  'one byte': 127,
  'two bytes': 128,
  negative: -5,
  largest: Number.MAX_SAFE_INTEGER,
  smallest: Number.MIN_SAFE_INTEGER,
  double: 0.1,
}

const createSpans = (traces = 1) => {
  const exporter = new InMemorySpanExporter()
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'patchbay', 'process.pid': 4711 }),
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  })
  const tracer = provider.getTracer('patchbay', '1.2.3')
  const remote = trace.setSpanContext(ROOT_CONTEXT, {
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    traceFlags: 1,
    isRemote: true,
    traceState: createTraceState('vendor=value'),
  })
  for (let count = 0; count < traces; count += 1) {
    const parent = tracer.startSpan('GET /v1/Accounts/:account_sid', { kind: SpanKind.SERVER, attributes }, remote)
    const child = tracer.startSpan('SELECT', { kind: SpanKind.CLIENT }, trace.setSpan(ROOT_CONTEXT, parent))
    child.setStatus({ code: SpanStatusCode.ERROR })
    child.end()
    parent.end()
  }
  tracer.startSpan('a trace of its own', { startTime: 1.5, attributes: { order: 1 } }).end(2.25)
  return exporter.getFinishedSpans()
}

const encode = (encoding: keyof typeof spanEncodings, spans: ReturnType<typeof createSpans>): Uint8Array => {
  const [first] = spans
  if (first === undefined) throw new Error('no spans')
  const batch = spanEncodings[encoding].createBatch(first.resource, first.instrumentationScope)
  for (const span of spans) batch.add(span)
  expect(batch.count).toBe(spans.length)
  return batch.finish()
}

test('protobuf has the same content as that of OpenTelemetry', () => {
  const spans = createSpans()
  const expected = decode(ProtobufTraceSerializer.serializeRequest(spans) ?? new Uint8Array())
  expect(JSON.stringify(expected)).toContain('vendor=value')
  expect(decode(encode('protobuf', spans))).toEqual(expected)
})

test('protobuf of many spans grows beyond its first buffer', () => {
  const spans = createSpans(200)
  expect(decode(encode('protobuf', spans))).toEqual(
    decode(ProtobufTraceSerializer.serializeRequest(spans) ?? new Uint8Array()),
  )
})

/** Parses OTLP/JSON. Integers are compared as text, and the lists and counts that the spans do not use are omitted. */
const parse = (bytes: Uint8Array): unknown =>
  JSON.parse(Buffer.from(bytes).toString(), (key, value: unknown) => {
    const isUnused = key.startsWith('dropped') || key === 'events' || key === 'links'
    if (isUnused) return undefined
    return key === 'intValue' ? String(value) : value
  })

test('JSON has the same content as that of OpenTelemetry', () => {
  const spans = createSpans()
  const expected = parse(JsonTraceSerializer.serializeRequest(spans) ?? new Uint8Array())
  expect(parse(encode('json', spans))).toEqual(expected)
})

test('an export without spans is valid', () => {
  expect(decode(spanEncodings.protobuf.empty)).toEqual({ resourceSpans: [] })
  expect(parse(spanEncodings.json.empty)).toEqual({ resourceSpans: [] })
})
