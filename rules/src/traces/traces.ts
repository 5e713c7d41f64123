/**
 * Parses call traces in the API's format (docs/reference/platform-api/traces-and-captures.md#traces). Pure. Accepts
 * both names of the scope members, base64 and hex IDs, and numbers as text, because exporters differ in these points.
 */

export interface TraceAttribute {
  key: string
  value: string | number | boolean
}

/** A span in a normalized form. */
export interface Span {
  /** Contains 16 hex digits. */
  id: string
  /** ID of the parent span. Null for a root span. */
  parent: string | null
  name: string
  /** Nanoseconds since the Unix epoch. */
  start: bigint
  end: bigint
  attributes: readonly TraceAttribute[]
  /** Error message of a failed span. Can be empty. */
  error?: string
  /** Name of the component that wrote the span. */
  service?: string
}

/** Returns the value if it is an object, otherwise an empty object. */
export const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

/** Returns the value if it is an array, otherwise an empty array. */
export const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Returns the value if it is a string, otherwise an empty string. */
export const asString = (value: unknown): string => (typeof value === 'string' ? value : '')

const base64ToHex = (text: string): string => {
  try {
    const bytes = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    return Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('')
  } catch {
    return ''
  }
}

/**
 * Returns an ID of `bytes` bytes as hex digits. Accepts hex and base64. Returns an empty text if the ID is invalid or
 * all zeros.
 */
export const parseSpanId = (value: unknown, bytes: 8 | 16): string => {
  const text = asString(value)
  const hex = text.length === 2 * bytes && /^[\da-f]+$/i.test(text) ? text.toLowerCase() : base64ToHex(text)
  return hex.length === 2 * bytes && /[^0]/.test(hex) ? hex : ''
}

/**
 * Returns the value of an OTLP attribute in JSON: lists and maps as JSON text, bytes as base64. Returns undefined for
 * other values. jambonz writes all numbers as doubles. Other exporters write integers as text (protobuf's int64 in
 * JSON).
 */
export const parseAttributeValue = (otlpValue: unknown): string | number | boolean | undefined => {
  const { stringValue, doubleValue, boolValue, intValue, arrayValue, kvlistValue, bytesValue } = asRecord(otlpValue)
  if (typeof stringValue === 'string') return stringValue
  if (typeof boolValue === 'boolean') return boolValue
  const number = doubleValue ?? intValue
  if (typeof number === 'number') return number
  if (typeof number === 'string' && number.trim() !== '' && !Number.isNaN(Number(number))) return Number(number)
  const composed = arrayValue ?? kvlistValue
  if (composed !== undefined && composed !== null) return JSON.stringify(toPlainValue(otlpValue, maxDepth))
  return typeof bytesValue === 'string' ? bytesValue : undefined
}

/** Limits for nested values: the depth, and the number of values per level. */
const maxDepth = 20
const maxValues = 1000

const toPlainValue = (otlpValue: unknown, depth: number): unknown => {
  const { arrayValue, kvlistValue } = asRecord(otlpValue)
  if (depth === 0) return null
  if (arrayValue !== undefined && arrayValue !== null)
    return asArray(asRecord(arrayValue)['values'])
      .slice(0, maxValues)
      .map((value) => toPlainValue(value, depth - 1))
  if (kvlistValue !== undefined && kvlistValue !== null) {
    const pairs = asArray(asRecord(kvlistValue)['values']).slice(0, maxValues).map(asRecord)
    return Object.fromEntries(pairs.map(({ key, value }) => [asString(key), toPlainValue(value, depth - 1)]))
  }
  return parseAttributeValue(otlpValue) ?? null
}

/**
 * Parses the attributes of a span or resource in OTLP JSON. Skips attributes without a name or with an invalid value.
 */
export const parseAttributes = (otlpAttributes: unknown): TraceAttribute[] =>
  asArray(otlpAttributes).flatMap((attribute) => {
    const key = asString(asRecord(attribute)['key'])
    const value = parseAttributeValue(asRecord(attribute)['value'])
    return key === '' || value === undefined ? [] : [{ key, value }]
  })

const nanoseconds = (value: unknown): bigint | undefined => {
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return BigInt(value)
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined
}

const failed = (code: unknown): boolean => code === 2 || code === 'STATUS_CODE_ERROR'

const parseSpan = (rawSpan: unknown, service: string): Span[] => {
  const { spanId, parentSpanId, name, startTimeUnixNano, endTimeUnixNano, attributes, status } = asRecord(rawSpan)
  const id = parseSpanId(spanId, 8)
  const start = nanoseconds(startTimeUnixNano)
  if (id === '' || start === undefined) return []
  const end = nanoseconds(endTimeUnixNano) ?? start
  const { code, message } = asRecord(status)
  return [
    {
      id,
      parent: parseSpanId(parentSpanId, 8) || null,
      name: asString(name),
      start,
      end: end < start ? start : end,
      attributes: parseAttributes(attributes),
      ...(failed(code) ? { error: asString(message) } : {}),
      ...(service ? { service } : {}),
    },
  ]
}

/** Returns the scopes of an element of `resourceSpans`, which exporters name differently. */
export const getScopeSpans = (resourceSpans: unknown): readonly unknown[] => {
  const { scopeSpans, instrumentationLibrarySpans } = asRecord(resourceSpans)
  return asArray(scopeSpans ?? instrumentationLibrarySpans)
}

/** Returns all spans of a trace in chronological order, without duplicates. Skips invalid spans. */
export const parseSpans = (trace: unknown): Span[] => {
  const spansById = new Map<string, Span>()
  for (const resourceSpans of asArray(asRecord(trace)['resourceSpans'])) {
    const resource = parseAttributes(asRecord(asRecord(resourceSpans)['resource'])['attributes'])
    const service = String(resource.find(({ key }) => key === 'service.name')?.value ?? '')
    for (const scope of getScopeSpans(resourceSpans))
      for (const rawSpan of asArray(asRecord(scope)['spans']))
        for (const span of parseSpan(rawSpan, service)) if (!spansById.has(span.id)) spansById.set(span.id, span)
  }
  return [...spansById.values()].toSorted((a, b) => Number(a.start - b.start) || Number(b.end - a.end))
}

/** Returns the value of the first attribute with this name, or undefined. */
export const attribute = ({ attributes }: Span, name: string): TraceAttribute['value'] | undefined =>
  attributes.find(({ key }) => key === name)?.value

/** Returns the account that the trace refers to, or undefined if it refers to none or to several. */
export const findTraceAccount = (spans: readonly Span[]): string | undefined => {
  const all = spans.flatMap(({ attributes }) => attributes.filter(({ key }) => key === 'accountSid'))
  const named = new Set(all.map(({ value }) => value))
  const [only] = named
  return named.size === 1 && typeof only === 'string' ? only : undefined
}

/** Returns whether the call has a trace. If tracing is off, the trace ID consists of zeros. */
export const isTraceId = (trace_id: string | null | undefined): trace_id is string =>
  typeof trace_id === 'string' && /^[\da-f]{32}$/i.test(trace_id) && /[^0]/.test(trace_id)

/** Returns a duration in milliseconds, the last one of a comma-separated list. Returns undefined if there is none. */
export const lastMilliseconds = (value: unknown): number | undefined => {
  const number = Number(String(value).split(',').at(-1))
  return value === undefined || !Number.isFinite(number) || number <= 0 ? undefined : number
}
