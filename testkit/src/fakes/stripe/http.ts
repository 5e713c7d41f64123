/** Stripe's HTTP conventions (docs.stripe.com/api): forms with brackets, errors, lists, and expanded objects. */

/** Form values: texts, and nested objects for names with brackets. */
export type Form = Readonly<Record<string, unknown>>

export type Json = Readonly<Record<string, unknown>>

interface Fault {
  type: 'invalid_request_error' | 'card_error' | 'idempotency_error' | 'api_error'
  message: string
  code?: string
  param?: string
  decline_code?: string
  payment_intent?: Json
}

/** An error response of Stripe. */
export class FakeStripeError extends Error {
  readonly status: number
  readonly body: { readonly error: Fault }
  constructor(status: number, fault: Fault) {
    super(fault.message)
    this.status = status
    this.body = { error: fault }
  }
}

export const refuse = (message: string, more: { status?: number; code?: string; param?: string } = {}): never => {
  const { status = 400, ...rest } = more
  throw new FakeStripeError(status, { type: 'invalid_request_error', message, ...rest })
}

export const missing = (what: string, id: string, param: string): never =>
  refuse(`No such ${what}: '${id}'`, { status: param === 'id' ? 404 : 400, code: 'resource_missing', param })

const isNested = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Converts objects with the members 0, 1, 2, … to lists. */
const withLists = (value: unknown): unknown => {
  if (!isNested(value)) return value
  const names = Object.keys(value)
  const members = names.map((name) => withLists(value[name]))
  const isList = names.length > 0 && names.every((name) => name === '' || /^\d+$/.test(name))
  return isList ? members : Object.fromEntries(names.map((name, index) => [name, members[index]]))
}

/** Parses `items[0][price]=x` as `{ items: [{ price: 'x' }] }`. */
export const parseForm = (text: string): Form => {
  const form: Record<string, unknown> = {}
  for (const [key, value] of new URLSearchParams(text)) {
    const path = key.split(/\]?\[|\]$/).filter((part, index) => index === 0 || part !== '')
    let owner = form
    for (const part of path.slice(0, -1)) {
      if (!isNested(owner[part])) owner[part] = {}
      owner = owner[part] as Record<string, unknown>
    }
    owner[path.at(-1) ?? ''] = value
  }
  return withLists(form) as Form
}

/** Rejects unknown and missing parameters, like Stripe. */
export const validateParameters = (form: Form, allowed: readonly string[], required: readonly string[] = []): Form => {
  for (const name of Object.keys(form))
    if (name !== 'expand' && !allowed.includes(name))
      refuse(`Received unknown parameter: ${name}`, { code: 'parameter_unknown', param: name })
  for (const name of required)
    if (form[name] === undefined || form[name] === '')
      refuse(`Missing required param: ${name}.`, { code: 'parameter_missing', param: name })
  return form
}

export const textIn = (form: Form, name: string): string | undefined => {
  const value = form[name]
  if (value === undefined || value === '') return undefined
  return typeof value === 'string' ? value : refuse(`Invalid string: ${name}`, { param: name })
}

export const integerIn = (form: Form, name: string): number | undefined => {
  const text = textIn(form, name)
  if (text === undefined) return undefined
  return /^-?\d+$/.test(text)
    ? Number(text)
    : refuse(`Invalid integer: ${text}`, { code: 'parameter_invalid_integer', param: name })
}

export const flagIn = (form: Form, name: string): boolean | undefined => {
  const text = textIn(form, name)
  if (text === undefined) return undefined
  return text === 'true' || (text === 'false' ? false : refuse(`Invalid boolean: ${text}`, { param: name }))
}

/** Returns a nested form. Rejects unknown parameters in it. */
export const formIn = (form: Form, name: string, allowed: readonly string[]): Form => {
  const value = form[name]
  if (value === undefined || value === '') return {}
  if (!isNested(value) || Array.isArray(value)) return refuse('Invalid object', { param: name })
  for (const member of Object.keys(value))
    if (!allowed.includes(member)) {
      const param = `${name}[${member}]`
      refuse(`Received unknown parameter: ${param}`, { code: 'parameter_unknown', param })
    }
  return value
}

export const formsIn = (form: Form, name: string): readonly Form[] => {
  const value = form[name]
  if (value === undefined || value === '') return []
  return Array.isArray(value) && value.every(isNested) ? value : refuse('Invalid array', { param: name })
}

const maxMetadataKeys = 50
const maxMetadataKeyLength = 40
const maxMetadataValueLength = 500

/**
 * Returns the stored metadata with the changes of a form. An empty value removes its key (docs.stripe.com/api/metadata).
 */
export const metadataIn = (form: Form, stored: Readonly<Record<string, string>> = {}): Record<string, string> => {
  const { metadata = {} } = form
  if (metadata === '') return {}
  if (!isNested(metadata)) return refuse('Invalid object', { param: 'metadata' })
  const merged = { ...stored }
  for (const [name, value] of Object.entries(metadata)) {
    if (typeof value !== 'string') return refuse('Metadata values must be strings.', { param: `metadata[${name}]` })
    if (name.length > maxMetadataKeyLength)
      refuse(`Metadata keys can have up to ${maxMetadataKeyLength} characters.`, { param: 'metadata' })
    if (value.length > maxMetadataValueLength)
      refuse(`Metadata values can have up to ${maxMetadataValueLength} characters.`, { param: `metadata[${name}]` })
    if (value === '') delete merged[name]
    else merged[name] = value
  }
  if (Object.keys(merged).length > maxMetadataKeys)
    refuse(`Metadata can have up to ${maxMetadataKeys} keys.`, { param: 'metadata' })
  return merged
}

/** Returns a page of a list that is sorted newest first, according to the request's cursor and limit. */
export const toPage = (url: string, all: readonly Json[], form: Form): Json => {
  const limit = integerIn(form, 'limit') ?? 10
  if (limit < 1 || limit > 100) refuse('This value must be between 1 and 100', { param: 'limit' })
  const after = textIn(form, 'starting_after')
  const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1
  return { object: 'list', url, has_more: all.length > start + limit, data: all.slice(start, start + limit) }
}

const maxLevels = 4
/** Members that are returned only if the request expands them. */
const onRequest = new Set(['tiers', 'payments', 'confirmation_secret'])

const groupByFirstSegment = (paths: readonly string[]): Map<string, string[]> => {
  const branches = new Map<string, string[]>()
  for (const path of paths) {
    const [first = '', ...rest] = path.split('.')
    branches.set(first, [...(branches.get(first) ?? []), ...(rest.length > 0 ? [rest.join('.')] : [])])
  }
  return branches
}

/** Replaces the IDs in `paths` with objects, and removes members that require an expansion. */
export const expandObject = (object: Json, paths: readonly string[], find: (id: string) => Json | undefined): Json => {
  for (const path of paths)
    if (path.split('.').filter((part) => part !== 'data').length > maxLevels)
      refuse(`You cannot expand more than ${maxLevels} levels of a property: ${path}`)
  if (object['deleted'] === true) return object
  const branches = groupByFirstSegment(paths)
  for (const name of branches.keys()) if (!(name in object)) refuse(`This property cannot be expanded (${name}).`)
  const inner = (value: unknown, below: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((one) => inner(one, below))
    return isNested(value) ? expandObject(value, below, find) : value
  }
  const includedEntries = Object.entries(object).filter(([name]) => branches.has(name) || !onRequest.has(name))
  return Object.fromEntries(
    includedEntries.map(([name, value]) => {
      const below = branches.get(name)
      const whole = below && typeof value === 'string' ? (find(value) ?? value) : value
      return [name, inner(whole, below ?? [])]
    }),
  )
}
