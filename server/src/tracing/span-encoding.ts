import type { Attributes, HrTime } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import { ProtobufWriter } from './protobuf-writer.ts'

/**
 * Encodes spans for OTLP (opentelemetry-proto v1, `trace_service.proto` and its imports) when they end. The encoders of
 * OpenTelemetry take seven times the CPU time, and need the spans until the export
 * (docs/decisions/0040-encode-spans-when-they-end.md). The spans of Patchbay have no events, no links, and no arrays.
 */

/** Spans of one process that have ended, and are sent together. */
export interface SpanBatch {
  /** Number of spans. */
  readonly count: number
  add(span: ReadableSpan): void
  /** Returns the body of an export, an ExportTraceServiceRequest. */
  finish(): Uint8Array
}

export interface SpanEncoding {
  mediaType: string
  /** The body of an export without spans. */
  empty: Uint8Array
  createBatch(resource: Resource, scope: ReadableSpan['instrumentationScope']): SpanBatch
}

/** The trace flags of W3C in the low byte, and whether the parent is in another process. */
const toFlags = (span: ReadableSpan): number => {
  const hasIsRemote = 0x1_00
  const isRemote = span.parentSpanContext?.isRemote ? 0x2_00 : 0
  return span.spanContext().traceFlags | hasIsRemote | isRemote
}

/** OTLP counts the kinds from 1; 0 is an unknown one. */
const toKind = (span: ReadableSpan): number => span.kind + 1

const toNanoseconds = ([seconds, nanoseconds]: HrTime): bigint => BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds)

const writeAttributes = (writer: ProtobufWriter, field: number, attributes: Attributes): void => {
  for (const [key, value] of Object.entries(attributes)) {
    const pair = writer.beginMessage(field)
    writer.string(1, key)
    const anyValue = writer.beginMessage(2)
    if (typeof value === 'boolean') writer.integer(2, Number(value))
    else if (typeof value !== 'number') writer.string(1, String(value))
    else if (Number.isSafeInteger(value)) writer.integer(3, value)
    else writer.double(4, value)
    writer.endMessage(anyValue)
    writer.endMessage(pair)
  }
}

const writeSpan = (writer: ProtobufWriter, field: number, span: ReadableSpan): void => {
  const { traceId, spanId, traceState } = span.spanContext()
  const message = writer.beginMessage(field)
  writer.hexadecimal(1, traceId)
  writer.hexadecimal(2, spanId)
  if (traceState) writer.string(3, traceState.serialize())
  if (span.parentSpanContext) writer.hexadecimal(4, span.parentSpanContext.spanId)
  writer.string(5, span.name)
  writer.integer(6, toKind(span))
  writer.fixed64(7, toNanoseconds(span.startTime))
  writer.fixed64(8, toNanoseconds(span.endTime))
  writeAttributes(writer, 9, span.attributes)
  const status = writer.beginMessage(15)
  writer.integer(3, span.status.code)
  writer.endMessage(status)
  writer.fixed32(16, toFlags(span))
  writer.endMessage(message)
}

const protobuf: SpanEncoding = {
  mediaType: 'application/x-protobuf',
  empty: new Uint8Array(),
  createBatch(resource, scope) {
    const writer = new ProtobufWriter()
    let count = 0
    const resourceSpans = writer.beginMessage(1)
    const resourceMessage = writer.beginMessage(1)
    writeAttributes(writer, 1, resource.attributes)
    writer.endMessage(resourceMessage)
    const scopeSpans = writer.beginMessage(2)
    const scopeMessage = writer.beginMessage(1)
    writer.string(1, scope.name)
    writer.string(2, scope.version ?? '')
    writer.endMessage(scopeMessage)
    return {
      get count() {
        return count
      },
      add(span) {
        writeSpan(writer, 2, span)
        count += 1
      },
      finish() {
        writer.endMessage(scopeSpans)
        writer.endMessage(resourceSpans)
        return writer.finish()
      },
    }
  },
}

/** Integers of 64 bits are text in OTLP/JSON. */
const toJsonValue = (value: unknown): object => {
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value !== 'number') return { stringValue: String(value) }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

const toJsonAttributes = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: toJsonValue(value) }))

const toJsonSpan = (span: ReadableSpan) => {
  const { traceId, spanId, traceState } = span.spanContext()
  return {
    traceId,
    spanId,
    traceState: traceState?.serialize(),
    parentSpanId: span.parentSpanContext?.spanId,
    name: span.name,
    kind: toKind(span),
    startTimeUnixNano: String(toNanoseconds(span.startTime)),
    endTimeUnixNano: String(toNanoseconds(span.endTime)),
    attributes: toJsonAttributes(span.attributes),
    status: { code: span.status.code },
    flags: toFlags(span),
  }
}

const json: SpanEncoding = {
  mediaType: 'application/json',
  empty: Buffer.from('{"resourceSpans":[]}'),
  createBatch({ attributes }, { name, version }) {
    const spans: string[] = []
    return {
      get count() {
        return spans.length
      },
      add: (span) => void spans.push(JSON.stringify(toJsonSpan(span))),
      finish() {
        const resource = JSON.stringify({ attributes: toJsonAttributes(attributes) })
        const scope = JSON.stringify({ name, version })
        const scopeSpans = `[{"scope":${scope},"spans":[${spans.join()}]}]`
        return Buffer.from(`{"resourceSpans":[{"resource":${resource},"scopeSpans":${scopeSpans}}]}`)
      },
    }
  },
}

export const spanEncodings = { protobuf, json } as const
