import protobuf from 'protobufjs'
import { scanJson, scanProtobuf } from './otlp-scan.ts'

/**
 * OTLP over HTTP for traces with protobuf encoding (opentelemetry-proto v1, `trace_service.proto` and its imports). The
 * definitions contain only the stored fields; protobuf skips the others.
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

const { root } = protobuf.parse(definitions)
const requests = root.lookupType('ExportTraceServiceRequest')
const responses = root.lookupType('ExportTraceServiceResponse')
const statuses = root.lookupType('RpcStatus')

export interface Outcome {
  rejected: number
  message: string
}

/** Builds the response message. If no spans were rejected, the message is a warning (OTLP 1.x, "Partial Success"). */
const partialSuccess = ({ rejected, message }: Outcome) =>
  rejected === 0 && message === '' ? {} : { partialSuccess: { rejectedSpans: rejected, errorMessage: message } }

/** Encoding of a request and its responses: `application/x-protobuf` or `application/json`. */
export interface Encoding {
  type: string
  /**
   * Returns the `resourceSpans` of a request.
   *
   * @throws OtlpLimitError if the body exceeds a structural limit
   * @throws Error if the body is not an ExportTraceServiceRequest
   */
  read(body: Buffer): unknown
  success(outcome: Outcome): Buffer
  /** Encodes a google.rpc.Status. */
  failure(message: string): Buffer
}

const asProtobuf: Encoding = {
  type: 'application/x-protobuf',
  read: (body) => {
    scanProtobuf(body, requests)
    return requests.toObject(requests.decode(body), { longs: String, bytes: String })['resourceSpans']
  },
  success: (outcome) => Buffer.from(responses.encode(responses.fromObject(partialSuccess(outcome))).finish()),
  failure: (message) => Buffer.from(statuses.encode({ message }).finish()),
}

const jsonBytes = (value: object): Buffer => Buffer.from(JSON.stringify(value))

export const jsonEncoding: Encoding = {
  type: 'application/json',
  read: (body) => {
    scanJson(body)
    const request: unknown = JSON.parse(body.toString('utf8'))
    if (typeof request !== 'object' || request === null) throw new Error('no object')
    return Reflect.get(request, 'resourceSpans')
  },
  success: (outcome) => jsonBytes(partialSuccess(outcome)),
  failure: (message) => jsonBytes({ message }),
}

/** Returns the encoding for a Content-Type, or undefined if OTLP does not define it. */
export const parseEncoding = (contentType: string | undefined): Encoding | undefined => {
  const [type] = (contentType ?? '').toLowerCase().split(';')
  return [asProtobuf, jsonEncoding].find((encoding) => encoding.type === type?.trim())
}
