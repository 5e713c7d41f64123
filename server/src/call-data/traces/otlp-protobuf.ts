import protobuf from 'protobufjs'
import { type Encoding, partialSuccess } from './otlp-encoding.ts'
import { assertAtMost, otlpLimits } from './otlp-limits.ts'

/**
 * OTLP over HTTP for traces with protobuf encoding (opentelemetry-proto v1, `trace_service.proto` and its imports). The
 * definitions contain only the stored fields; protobuf skips the others. Loaded with the first request that needs it.
 */
const definitions = `
syntax = "proto3";
message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeSpans { InstrumentationScope scope = 1; repeated Span spans = 2; }
message InstrumentationScope { string name = 1; string version = 2; }
message Span {
  bytes trace_id = 1;
  bytes span_id = 2;
  bytes parent_span_id = 4;
  string name = 5;
  int32 kind = 6;
  fixed64 start_time_unix_nano = 7;
  fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9;
  repeated Event events = 11;
  Status status = 15;
}
message Event { fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3; }
message Status { string message = 2; int32 code = 3; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue {
  oneof value {
    string string_value = 1;
    bool bool_value = 2;
    int64 int_value = 3;
    double double_value = 4;
    ArrayValue array_value = 5;
    KeyValueList kvlist_value = 6;
    bytes bytes_value = 7;
  }
}
message ArrayValue { repeated AnyValue values = 1; }
message KeyValueList { repeated KeyValue values = 1; }
message ExportTraceServiceResponse { ExportTracePartialSuccess partial_success = 1; }
message ExportTracePartialSuccess { int64 rejected_spans = 1; string error_message = 2; }
message RpcStatus { int32 code = 1; string message = 2; }
`

const { root: types } = protobuf.parse(definitions)
const requests = types.lookupType('ExportTraceServiceRequest')
const responses = types.lookupType('ExportTraceServiceResponse')
const statuses = types.lookupType('RpcStatus')

const lengthDelimited = 2

/** Limits by protobuf message type. */
const limitsByType: ReadonlyMap<string, { limit: number; what: string }> = new Map([
  ['ResourceSpans', { limit: otlpLimits.resourceSpans, what: 'resources' }],
  ['ScopeSpans', { limit: otlpLimits.scopeSpans, what: 'scopes' }],
  ['Span', { limit: otlpLimits.spans, what: 'spans' }],
])

/**
 * Counts the objects of an encoded message before it is decoded, because an empty message takes only two encoded bytes.
 *
 * @throws OtlpLimitError if there are too many messages of a type or in total
 * @throws Error if the encoding is invalid
 */
const scanProtobuf = (body: Uint8Array, root: protobuf.Type): void => {
  const counts = new Map<string, number>()
  const reader = protobuf.Reader.create(body)
  let messages = 0
  const walk = (type: protobuf.Type, end: number, depth: number): void => {
    assertAtMost(depth, otlpLimits.depth, 'levels')
    while (reader.pos < end) {
      const tag = reader.uint32()
      const nested = type.fieldsById[tag >>> 3]?.resolve().resolvedType
      if ((tag & 7) !== lengthDelimited || !(nested instanceof protobuf.Type)) {
        reader.skipType(tag & 7)
        continue
      }
      const stop = reader.uint32() + reader.pos
      if (stop > end) throw new Error('a message is longer than the message that contains it')
      messages += 1
      assertAtMost(messages, otlpLimits.messages, 'objects')
      const count = (counts.get(nested.name) ?? 0) + 1
      counts.set(nested.name, count)
      const typeLimit = limitsByType.get(nested.name)
      if (typeLimit !== undefined) assertAtMost(count, typeLimit.limit, typeLimit.what)
      walk(nested, stop, depth + 1)
    }
  }
  walk(root, reader.len, 0)
}

export const protobufEncoding: Encoding = {
  type: 'application/x-protobuf',
  read: (body) => {
    scanProtobuf(body, requests)
    return requests.toObject(requests.decode(body), { longs: String, bytes: String })['resourceSpans']
  },
  success: (outcome) => Buffer.from(responses.encode(responses.fromObject(partialSuccess(outcome))).finish()),
  failure: (message) => Buffer.from(statuses.encode({ message }).finish()),
}
