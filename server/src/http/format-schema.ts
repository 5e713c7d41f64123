import type { z } from 'zod'

/** Formats a JSON Schema for the documentation: `{ name: text of 1 to 64, … }`. Optional members have a `?`. */

type Schema = z.core.JSONSchema.BaseSchema

const formats: Readonly<Record<string, string>> = { 'date-time': 'ISO 8601 date and time', email: 'email address' }

/** Returns a bound, or undefined for the implicit bounds of whole numbers. */
const toExplicitBound = (bound: number | undefined): number | undefined =>
  bound === undefined || Math.abs(bound) === Number.MAX_SAFE_INTEGER ? undefined : bound

const formatRange = (min: number | undefined, max: number | undefined): string => {
  if (min === undefined && max === undefined) return ''
  if (max === undefined) return ` of at least ${min}`
  return min === undefined ? ` of at most ${max}` : ` of ${min} to ${max}`
}

const formatObject = ({ properties = {}, required = [] }: Schema, indent: string): string => {
  const inner = `${indent}  `
  const lines = Object.entries(properties).map(
    ([name, schema]) => `${inner}${name}${required.includes(name) ? '' : '?'}: ${formatPart(schema, inner)}`,
  )
  return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${indent}}`
}

const formatPart = (schema: z.core.JSONSchema._JSONSchema, indent: string): string =>
  typeof schema === 'boolean' ? 'anything' : schemaText(schema, indent)

const formatAlternatives = (schemas: readonly z.core.JSONSchema._JSONSchema[], indent: string): string =>
  [...new Set(schemas.map((schema) => formatPart(schema, indent)))].join(' | ')

const formatType = (schema: Schema, indent: string): string => {
  // The type definition allows a single type, but `string | null` is represented by a list.
  const types: unknown = schema.type
  if (Array.isArray(types))
    return formatAlternatives(
      types.map((type) => ({ ...schema, type })),
      indent,
    )
  switch (schema.type) {
    case 'object':
      return formatObject(schema, indent)
    case 'array': {
      const items = Array.isArray(schema.items) ? undefined : schema.items
      return `list of ${items === undefined ? 'anything' : formatPart(items, indent)}`
    }
    case 'string':
      return formats[schema.format ?? ''] ?? `text${formatRange(schema.minLength, schema.maxLength)}`
    case 'integer':
      return `whole number${formatRange(toExplicitBound(schema.minimum), toExplicitBound(schema.maximum))}`
    case 'number':
      return `number${formatRange(schema.minimum, schema.maximum)}`
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
  const options = schema.anyOf ?? schema.oneOf
  return options ? formatAlternatives(options, indent) : formatType(schema, indent)
}
