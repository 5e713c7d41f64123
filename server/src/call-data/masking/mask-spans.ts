import type { ResourceSpans } from '@patchbay/contract/call-traces'
import { maskedDigit } from '@patchbay/contract/shared/masking-limits'
import { maskLine, maskValue } from './mask-values.ts'
import type { TextMasker } from './text-masker.ts'

/** Masks the texts of spans: their names, attributes, events, and error messages. Pure. */

type Span = ResourceSpans['instrumentationLibrarySpans'][number]['spans'][number]
type Attribute = ResourceSpans['resource']['attributes'][number]

const maskAttribute = (attribute: Attribute, masker: TextMasker, callAttributes: ReadonlySet<string>): Attribute => {
  const { key, value } = attribute
  if (!('stringValue' in value) || callAttributes.has(key)) return attribute
  const stringValue = maskValue(value.stringValue, masker, key)
  return stringValue === value.stringValue ? attribute : { key, value: { stringValue } }
}

const maskAttributes = (
  attributes: readonly Attribute[],
  masker: TextMasker,
  callAttributes: ReadonlySet<string>,
): Attribute[] => attributes.map((attribute) => maskAttribute(attribute, masker, callAttributes))

/** The name of the span of a digit contains the digit. */
const maskName = (name: string, masker: TextMasker): string =>
  masker.rules.pressed_digits === 1 && name.startsWith('dtmf:') ? `dtmf:${maskedDigit}` : masker.mask(name)

const isAttribute = (value: unknown): value is Attribute =>
  typeof value === 'object' && value !== null && 'key' in value && typeof value.key === 'string' && 'value' in value

const maskEvent = (event: unknown, masker: TextMasker, callAttributes: ReadonlySet<string>): unknown => {
  if (typeof event !== 'object' || event === null) return event
  const { name, attributes }: { name?: unknown; attributes?: unknown } = event
  return {
    ...event,
    ...(typeof name === 'string' ? { name: masker.mask(name) } : {}),
    ...(Array.isArray(attributes)
      ? { attributes: maskAttributes(attributes.filter(isAttribute), masker, callAttributes) }
      : {}),
  }
}

const maskStatus = (status: unknown, masker: TextMasker): unknown => {
  if (typeof status !== 'object' || status === null || !('message' in status)) return status
  return typeof status.message === 'string' ? { ...status, message: maskLine(status.message, masker) } : status
}

const maskSpan = (span: Span, masker: TextMasker, callAttributes: ReadonlySet<string>): Span => {
  const { name, attributes, status, events } = span
  return {
    ...span,
    name: maskName(name, masker),
    attributes: maskAttributes(attributes, masker, callAttributes),
    ...(status === undefined ? {} : { status: maskStatus(status, masker) }),
    ...(Array.isArray(events) ? { events: events.map((event) => maskEvent(event, masker, callAttributes)) } : {}),
  }
}

/**
 * Returns spans of one resource with masked texts.
 * @param callAttributes names of the attributes that name a call, which are kept
 */
export const maskSpans = (
  { resource, instrumentationLibrarySpans }: ResourceSpans,
  masker: TextMasker,
  callAttributes: ReadonlySet<string>,
): ResourceSpans => {
  return {
    resource: { attributes: maskAttributes(resource.attributes, masker, callAttributes) },
    instrumentationLibrarySpans: instrumentationLibrarySpans.map(({ instrumentationLibrary, spans }) => ({
      instrumentationLibrary,
      spans: spans.map((span) => maskSpan(span, masker, callAttributes)),
    })),
  }
}
