import {
  parseAttributes,
  parseSpanId,
  asArray,
  asRecord,
  getScopeSpans,
  asString,
  type TraceAttribute,
} from '@patchbay/contract/shared/traces'
import type { ResourceSpans } from './traces.ts'

/** Spans of OTLP or of Jaeger's query API, as the API answers them (api/4-calls-and-hosted.md §2.1). */

type WireAttribute = ResourceSpans['resource']['attributes'][number]

/** Attributes of a span, an event, or a resource, and events of a span: as the SDKs limit them. */
const maxAttributes = 128
const maxEvents = 128

/** Characters of a text. A longer one is cut. */
const maxTextLength = 65_536

/** Characters of the attributes of a resource, which are stored with each of its traces. Further ones are left out. */
const maxResourceLength = 16_384

const boundedText = (value: unknown): string => asString(value).slice(0, maxTextLength)

const wireAttribute = ({ key, value }: TraceAttribute): WireAttribute => {
  const name = key.slice(0, maxTextLength)
  if (typeof value === 'boolean') return { key: name, value: { boolValue: value } }
  if (typeof value === 'number') return { key: name, value: { doubleValue: value } }
  return { key: name, value: { stringValue: value.slice(0, maxTextLength) } }
}

const wireAttributes = (given: unknown): WireAttribute[] =>
  parseAttributes(asArray(given).slice(0, maxAttributes)).map(wireAttribute)

const resourceAttributes = (given: unknown): WireAttribute[] => {
  let length = 0
  return wireAttributes(given).filter(({ key, value }) => {
    length += key.length + ('stringValue' in value ? value.stringValue.length : 0)
    return length <= maxResourceLength
  })
}

/** Names of scopes are stored with each of their traces. */
const boundedName = (value: unknown): string => asString(value).slice(0, 255)

const base64Of = (hex: string): string => Buffer.from(hex, 'hex').toString('base64')

const kinds = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER']
const statuses = ['UNSET', 'OK', 'ERROR']

const named = (prefix: string, names: readonly string[], value: unknown): string => {
  if (typeof value === 'string' && value.startsWith(prefix)) return value
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : 0
  return `${prefix}${names[number] ?? names[0]}`
}

const nanoseconds = (value: unknown): string | undefined => {
  const isWhole = typeof value === 'bigint' || Number.isInteger(value)
  const text = isWhole ? BigInt(value as number | bigint).toString() : value
  return typeof text === 'string' && /^\d{1,20}$/.test(text) ? text : undefined
}

type WireSpan = ResourceSpans['instrumentationLibrarySpans'][number]['spans'][number]

/** Jaeger leaves out what happened while a span lasted; OTLP calls it events. */
const eventsOf = (given: unknown) =>
  asArray(given)
    .slice(0, maxEvents)
    .map((event) => {
      const { timeUnixNano, name, attributes } = asRecord(event)
      return {
        timeUnixNano: nanoseconds(timeUnixNano) ?? '0',
        name: boundedText(name),
        attributes: wireAttributes(attributes),
      }
    })

const wireSpan = (given: unknown): { trace_id: string; span: WireSpan } | undefined => {
  const { traceId, spanId, parentSpanId, name, kind, startTimeUnixNano, endTimeUnixNano, attributes, status, events } =
    asRecord(given)
  const trace_id = parseSpanId(traceId, 16)
  const span_id = parseSpanId(spanId, 8)
  const start = nanoseconds(startTimeUnixNano)
  if (trace_id === '' || span_id === '' || start === undefined) return undefined
  const { code, message } = asRecord(status)
  const happened = eventsOf(events)
  const span = {
    traceId: base64Of(trace_id),
    spanId: base64Of(span_id),
    parentSpanId: base64Of(parseSpanId(parentSpanId, 8) || '0'.repeat(16)),
    name: boundedText(name),
    kind: named('SPAN_KIND_', kinds, kind),
    startTimeUnixNano: start,
    endTimeUnixNano: nanoseconds(endTimeUnixNano) ?? start,
    attributes: wireAttributes(attributes),
    ...(code ? { status: { code: named('STATUS_CODE_', statuses, code), message: boundedText(message) } } : {}),
    ...(happened.length > 0 ? { events: happened } : {}),
  }
  return { trace_id, span }
}

const pushTo = <T>(lists: Map<string, T[]>, key: string, value: T): void => {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

export interface ResponseSpans {
  /** by trace id, 32 hex digits */
  traces: ReadonlyMap<string, ResourceSpans[]>
  /** spans without what they cannot be without: ids and a beginning */
  rejected: number
}

/** The spans of `resourceSpans`, in whichever spelling, by their trace. */
export const toResponseSpans = (allResourceSpans: unknown): ResponseSpans => {
  const traces = new Map<string, ResourceSpans[]>()
  let rejected = 0
  for (const resourceSpans of asArray(allResourceSpans)) {
    const resource = { attributes: resourceAttributes(asRecord(asRecord(resourceSpans)['resource'])['attributes']) }
    for (const scope of getScopeSpans(resourceSpans)) {
      const { name, version } = asRecord(asRecord(scope)['scope'] ?? asRecord(scope)['instrumentationLibrary'])
      const library = { name: boundedName(name), version: boundedName(version) }
      const byTrace = new Map<string, WireSpan[]>()
      for (const given of asArray(asRecord(scope)['spans'])) {
        const read = wireSpan(given)
        if (read === undefined) rejected += 1
        else pushTo(byTrace, read.trace_id, read.span)
      }
      for (const [trace_id, spans] of byTrace) {
        const part = { resource, instrumentationLibrarySpans: [{ instrumentationLibrary: library, spans }] }
        pushTo(traces, trace_id, part)
      }
    }
  }
  return { traces, rejected }
}
