import type { ResourceSpans } from '@patchbay/contract/call-traces'
import { addToGroup } from '@patchbay/rules/lib/groups'
import {
  asArray,
  asRecord,
  asString,
  getScopeSpans,
  parseAttributes,
  parseSpanId,
  type TraceAttribute,
} from '@patchbay/rules/traces/traces'

/**
 * Converts spans from OTLP or Jaeger's query API to API responses
 * (docs/reference/platform-api/traces-and-captures.md#traces).
 */

type ResponseAttribute = ResourceSpans['resource']['attributes'][number]

/**
 * Maximum number of attributes of a span, event, or resource, and of events of a span. The same as the defaults of the
 * SDKs.
 */
const maxAttributes = 128
const maxEvents = 128

/** Maximum characters of a string. Longer strings are truncated. */
const maxTextLength = 65_536

/**
 * Maximum characters of the attributes of a resource, which are stored with each of its traces. Excess attributes are
 * dropped.
 */
const maxResourceLength = 16_384

const toBoundedText = (value: unknown): string => asString(value).slice(0, maxTextLength)

const toResponseAttribute = ({ key, value }: TraceAttribute): ResponseAttribute => {
  const name = key.slice(0, maxTextLength)
  if (typeof value === 'boolean') return { key: name, value: { boolValue: value } }
  if (typeof value === 'number') return { key: name, value: { doubleValue: value } }
  return { key: name, value: { stringValue: value.slice(0, maxTextLength) } }
}

const toResponseAttributes = (attributes: unknown): ResponseAttribute[] =>
  parseAttributes(asArray(attributes).slice(0, maxAttributes)).map(toResponseAttribute)

const toResourceAttributes = (attributes: unknown): ResponseAttribute[] => {
  let length = 0
  return toResponseAttributes(attributes).filter(({ key, value }) => {
    length += key.length + ('stringValue' in value ? value.stringValue.length : 0)
    return length <= maxResourceLength
  })
}

/** Scope names are stored with each of their traces, so they are truncated. */
const toBoundedName = (value: unknown): string => asString(value).slice(0, 255)

const hexToBase64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64')

const kinds = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER']
const statuses = ['UNSET', 'OK', 'ERROR']

const toEnumName = (prefix: string, names: readonly string[], value: unknown): string => {
  if (typeof value === 'string' && value.startsWith(prefix)) return value
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : 0
  return `${prefix}${names[number] ?? names[0]}`
}

const parseNanoseconds = (value: unknown): string | undefined => {
  const isWhole = typeof value === 'bigint' || Number.isInteger(value)
  const text = isWhole ? BigInt(value as number | bigint).toString() : value
  return typeof text === 'string' && /^\d{1,20}$/.test(text) ? text : undefined
}

type ResponseSpan = ResourceSpans['instrumentationLibrarySpans'][number]['spans'][number]

/** Converts the events of a span. Jaeger's responses do not contain them. */
const toResponseEvents = (events: unknown) =>
  asArray(events)
    .slice(0, maxEvents)
    .map((event) => {
      const { timeUnixNano, name, attributes } = asRecord(event)
      return {
        timeUnixNano: parseNanoseconds(timeUnixNano) ?? '0',
        name: toBoundedText(name),
        attributes: toResponseAttributes(attributes),
      }
    })

const toResponseSpan = (rawSpan: unknown): { trace_id: string; span: ResponseSpan } | undefined => {
  const { traceId, spanId, parentSpanId, name, kind, startTimeUnixNano, endTimeUnixNano, attributes, status, events } =
    asRecord(rawSpan)
  const trace_id = parseSpanId(traceId, 16)
  const span_id = parseSpanId(spanId, 8)
  const start = parseNanoseconds(startTimeUnixNano)
  if (trace_id === '' || span_id === '' || start === undefined) return undefined
  const { code, message } = asRecord(status)
  const responseEvents = toResponseEvents(events)
  const span = {
    traceId: hexToBase64(trace_id),
    spanId: hexToBase64(span_id),
    parentSpanId: hexToBase64(parseSpanId(parentSpanId, 8) || '0'.repeat(16)),
    name: toBoundedText(name),
    kind: toEnumName('SPAN_KIND_', kinds, kind),
    startTimeUnixNano: start,
    endTimeUnixNano: parseNanoseconds(endTimeUnixNano) ?? start,
    attributes: toResponseAttributes(attributes),
    ...(code ? { status: { code: toEnumName('STATUS_CODE_', statuses, code), message: toBoundedText(message) } } : {}),
    ...(responseEvents.length > 0 ? { events: responseEvents } : {}),
  }
  return { trace_id, span }
}

export interface ResponseSpans {
  /** Resource spans by trace id (32 hex digits). */
  traces: ReadonlyMap<string, ResourceSpans[]>
  /** Number of spans without an id or start time. */
  rejected: number
}

/** Converts `resourceSpans` in any of the supported spellings and groups them by trace. */
export const toResponseSpans = (allResourceSpans: unknown): ResponseSpans => {
  const traces = new Map<string, ResourceSpans[]>()
  let rejected = 0
  for (const resourceSpans of asArray(allResourceSpans)) {
    const resource = { attributes: toResourceAttributes(asRecord(asRecord(resourceSpans)['resource'])['attributes']) }
    for (const scope of getScopeSpans(resourceSpans)) {
      const { name, version } = asRecord(asRecord(scope)['scope'] ?? asRecord(scope)['instrumentationLibrary'])
      const library = { name: toBoundedName(name), version: toBoundedName(version) }
      const byTrace = new Map<string, ResponseSpan[]>()
      for (const rawSpan of asArray(asRecord(scope)['spans'])) {
        const converted = toResponseSpan(rawSpan)
        if (converted === undefined) rejected += 1
        else addToGroup(byTrace, converted.trace_id, converted.span)
      }
      for (const [trace_id, spans] of byTrace) {
        const part = { resource, instrumentationLibrarySpans: [{ instrumentationLibrary: library, spans }] }
        addToGroup(traces, trace_id, part)
      }
    }
  }
  return { traces, rejected }
}
