/**
 * Traces of calls as the API answers them (api/4-calls-and-hosted.md §2.1, §2.2), and what they say. Pure. Both
 * spellings of scopes are read, base64 and hex ids, and texts or numbers where the field's own tools differ.
 */

export interface TraceAttribute {
  key: string
  value: string | number | boolean
}

/** A span in one form, whoever wrote it. */
export interface Span {
  /** 16 hex digits */
  id: string
  /** of the span above it; null at a root */
  parent: string | null
  name: string
  /** nanoseconds since the epoch */
  start: bigint
  end: bigint
  attributes: readonly TraceAttribute[]
  /** why it failed, where it did; may be empty */
  error?: string
  /** which program wrote it */
  service?: string
}

/** The members of what may be anything. */
export const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

export const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const asString = (value: unknown): string => (typeof value === 'string' ? value : '')

const hexOfBase64 = (text: string): string => {
  try {
    const bytes = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    return Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('')
  } catch {
    return ''
  }
}

/** An id of `bytes` bytes as hex digits, however it is written; empty where it is none, or all zeros. */
export const parseSpanId = (value: unknown, bytes: 8 | 16): string => {
  const text = asString(value)
  const hex = text.length === 2 * bytes && /^[\da-f]+$/i.test(text) ? text.toLowerCase() : hexOfBase64(text)
  return hex.length === 2 * bytes && /[^0]/.test(hex) ? hex : ''
}

/** All numbers are doubles on the wire; others write whole numbers as text (OTLP, JSON of protobuf's int64). */
export const parseAttributeValue = (given: unknown): string | number | boolean | undefined => {
  const { stringValue, doubleValue, boolValue, intValue, arrayValue, kvlistValue, bytesValue } = asRecord(given)
  if (typeof stringValue === 'string') return stringValue
  if (typeof boolValue === 'boolean') return boolValue
  const number = doubleValue ?? intValue
  if (typeof number === 'number') return number
  if (typeof number === 'string' && number.trim() !== '' && !Number.isNaN(Number(number))) return Number(number)
  const composed = arrayValue ?? kvlistValue
  if (composed !== undefined && composed !== null) return JSON.stringify(plainOf(given, deepest))
  return typeof bytesValue === 'string' ? bytesValue : undefined
}

/** The depth to which values within values are read, and the number of values that are read of each. */
const deepest = 20
const maxValues = 1000

const plainOf = (given: unknown, depth: number): unknown => {
  const { arrayValue, kvlistValue } = asRecord(given)
  if (depth === 0) return null
  if (arrayValue !== undefined && arrayValue !== null)
    return asArray(asRecord(arrayValue)['values'])
      .slice(0, maxValues)
      .map((value) => plainOf(value, depth - 1))
  if (kvlistValue !== undefined && kvlistValue !== null) {
    const pairs = asArray(asRecord(kvlistValue)['values']).slice(0, maxValues).map(asRecord)
    return Object.fromEntries(pairs.map(({ key, value }) => [asString(key), plainOf(value, depth - 1)]))
  }
  return parseAttributeValue(given) ?? null
}

export const parseAttributes = (given: unknown): TraceAttribute[] =>
  asArray(given).flatMap((attribute) => {
    const key = asString(asRecord(attribute)['key'])
    const value = parseAttributeValue(asRecord(attribute)['value'])
    return key === '' || value === undefined ? [] : [{ key, value }]
  })

const nanoseconds = (value: unknown): bigint | undefined => {
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return BigInt(value)
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined
}

const failed = (code: unknown): boolean => code === 2 || code === 'STATUS_CODE_ERROR'

const spanOf = (given: unknown, service: string): Span[] => {
  const { spanId, parentSpanId, name, startTimeUnixNano, endTimeUnixNano, attributes, status } = asRecord(given)
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

/** The scopes of an element of `resourceSpans`, by whichever name. */
export const getScopeSpans = (resourceSpans: unknown): readonly unknown[] => {
  const { scopeSpans, instrumentationLibrarySpans } = asRecord(resourceSpans)
  return asArray(scopeSpans ?? instrumentationLibrarySpans)
}

/** Every span of an answer once, the earliest first. What cannot be read is left out. */
export const parseSpans = (trace: unknown): Span[] => {
  const known = new Map<string, Span>()
  for (const resourceSpans of asArray(asRecord(trace)['resourceSpans'])) {
    const resource = parseAttributes(asRecord(asRecord(resourceSpans)['resource'])['attributes'])
    const service = String(resource.find(({ key }) => key === 'service.name')?.value ?? '')
    for (const scope of getScopeSpans(resourceSpans))
      for (const given of asArray(asRecord(scope)['spans']))
        for (const span of spanOf(given, service)) if (!known.has(span.id)) known.set(span.id, span)
  }
  return [...known.values()].toSorted((a, b) => Number(a.start - b.start) || Number(b.end - a.end))
}

export const attribute = ({ attributes }: Span, name: string): TraceAttribute['value'] | undefined =>
  attributes.find(({ key }) => key === name)?.value

/** The one account that a trace names; undefined where it names none, or several. */
export const accountOfTrace = (spans: readonly Span[]): string | undefined => {
  const all = spans.flatMap(({ attributes }) => attributes.filter(({ key }) => key === 'accountSid'))
  const named = new Set(all.map(({ value }) => value))
  const [only] = named
  return named.size === 1 && typeof only === 'string' ? only : undefined
}

/** Whether a call was traced at all: tracing that is off writes zeros. */
export const isTraceId = (trace_id: string | null | undefined): trace_id is string =>
  typeof trace_id === 'string' && /^[\da-f]{32}$/i.test(trace_id) && /[^0]/.test(trace_id)
