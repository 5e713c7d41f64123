import protobuf from 'protobufjs'
import { assertAtMost, otlpLimits } from './otlp-limits.ts'

/** Counts the objects of an export before it is decoded, because an empty message takes only two encoded bytes. */

const lengthDelimited = 2

/** Limits by protobuf message type. */
const limitsByType: ReadonlyMap<string, { limit: number; what: string }> = new Map([
  ['ResourceSpans', { limit: otlpLimits.resourceSpans, what: 'resources' }],
  ['ScopeSpans', { limit: otlpLimits.scopeSpans, what: 'scopes' }],
  ['Span', { limit: otlpLimits.spans, what: 'spans' }],
])

/**
 * Scans an encoded message without decoding it.
 *
 * @throws OtlpLimitError if there are too many messages of a type or in total
 * @throws Error if the encoding is invalid
 */
export const scanProtobuf = (body: Uint8Array, root: protobuf.Type): void => {
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

const code = (character: string): number => character.charCodeAt(0)
const [quote, backslash, brace, bracket] = [code('"'), code('\\'), code('{'), code('[')]

/**
 * Counts the objects and arrays of a JSON text, which does not have to be valid.
 *
 * @throws OtlpLimitError if there are too many
 */
export const scanJson = (body: Uint8Array): void => {
  let objects = 0
  let isText = false
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at]
    if (isText) {
      if (byte === backslash) at += 1
      else if (byte === quote) isText = false
    } else if (byte === quote) isText = true
    else if (byte === brace || byte === bracket) objects += 1
  }
  assertAtMost(objects, otlpLimits.messages, 'objects')
}
