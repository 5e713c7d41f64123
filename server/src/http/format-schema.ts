import type { z } from 'zod'

/** A JSON Schema in the words of the documentation: `{ name: text of 1 to 64, … }`. What is not required has a `?`. */

type Schema = z.core.JSONSchema.BaseSchema

const formats: Readonly<Record<string, string>> = { 'date-time': 'ISO 8601 date and time', email: 'e-mail address' }

/** The bounds that whole numbers have in any case say nothing. */
const said = (bound: number | undefined): number | undefined =>
  bound === undefined || Math.abs(bound) === Number.MAX_SAFE_INTEGER ? undefined : bound

const range = (min: number | undefined, max: number | undefined): string => {
  if (min === undefined && max === undefined) return ''
  if (max === undefined) return ` of at least ${min}`
  return min === undefined ? ` of at most ${max}` : ` of ${min} to ${max}`
}

const objectText = ({ properties = {}, required = [] }: Schema, indent: string): string => {
  const inner = `${indent}  `
  const lines = Object.entries(properties).map(
    ([name, schema]) => `${inner}${name}${required.includes(name) ? '' : '?'}: ${partText(schema, inner)}`,
  )
  return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${indent}}`
}

const partText = (schema: z.core.JSONSchema._JSONSchema, indent: string): string =>
  typeof schema === 'boolean' ? 'anything' : schemaText(schema, indent)

const alternatives = (schemas: readonly z.core.JSONSchema._JSONSchema[], indent: string): string =>
  [...new Set(schemas.map((schema) => partText(schema, indent)))].join(' | ')

const typeText = (schema: Schema, indent: string): string => {
  // Its own type knows one kind alone, but `string | null` is written as a list.
  const kinds: unknown = schema.type
  if (Array.isArray(kinds))
    return alternatives(
      kinds.map((type) => ({ ...schema, type })),
      indent,
    )
  switch (schema.type) {
    case 'object':
      return objectText(schema, indent)
    case 'array': {
      const items = Array.isArray(schema.items) ? undefined : schema.items
      return `list of ${items === undefined ? 'anything' : partText(items, indent)}`
    }
    case 'string':
      return formats[schema.format ?? ''] ?? `text${range(schema.minLength, schema.maxLength)}`
    case 'integer':
      return `whole number${range(said(schema.minimum), said(schema.maximum))}`
    case 'number':
      return `number${range(schema.minimum, schema.maximum)}`
    case 'boolean':
      return 'true | false'
    case 'null':
      return 'null'
    default:
      return 'anything'
  }
}

export const schemaText = (schema: Schema, indent = ''): string => {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const among = schema.anyOf ?? schema.oneOf
  return among ? alternatives(among, indent) : typeText(schema, indent)
}
