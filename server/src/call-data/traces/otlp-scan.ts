import { assertAtMost, otlpLimits } from './otlp-limits.ts'

const code = (character: string): number => character.charCodeAt(0)
const [quote, backslash, brace, bracket] = [code('"'), code('\\'), code('{'), code('[')]

/**
 * Counts the objects and arrays of a JSON text before it is parsed. The text does not have to be valid.
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
