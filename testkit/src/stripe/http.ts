/** Stripe's wire (docs.stripe.com/api): forms with brackets, errors, lists, and objects that take the place of their ids. */

/** Values of a form: texts, and what brackets make of them. */
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

/** What Stripe answers in place of what was asked for. */
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

/** Objects whose members are 0, 1, 2, … are lists. */
const withLists = (value: unknown): unknown => {
  if (!isNested(value)) return value
  const names = Object.keys(value)
  const members = names.map((name) => withLists(value[name]))
  const isList = names.length > 0 && names.every((name) => name === '' || /^\d+$/.test(name))
  return isList ? members : Object.fromEntries(names.map((name, index) => [name, members[index]]))
}

/** `items[0][price]=x` as `{ items: [{ price: 'x' }] }` */
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

/** The members of a request that Stripe knows; others it refuses, and such that lack. */
export const checked = (form: Form, known: readonly string[], required: readonly string[] = []): Form => {
  for (const name of Object.keys(form))
    if (name !== 'expand' && !known.includes(name))
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

export const wholeIn = (form: Form, name: string): number | undefined => {
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

export const formIn = (form: Form, name: string): Form => {
  const value = form[name]
  return isNested(value) && !Array.isArray(value) ? value : {}
}

export const formsIn = (form: Form, name: string): readonly Form[] => {
  const value = form[name]
  return Array.isArray(value) ? value.filter(isNested) : []
}

export const metadataIn = (form: Form): Record<string, string> =>
  Object.fromEntries(Object.entries(formIn(form, 'metadata')).map(([name, value]) => [name, String(value)]))

/** A page of a list, newest first, as its cursor and its length say. */
export const toPage = (url: string, all: readonly Json[], form: Form): Json => {
  const limit = wholeIn(form, 'limit') ?? 10
  if (limit < 1 || limit > 100) refuse('This value must be between 1 and 100', { param: 'limit' })
  const after = textIn(form, 'starting_after')
  const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1
  return { object: 'list', url, has_more: all.length > start + limit, data: all.slice(start, start + limit) }
}

const maxLevels = 4
/** Members that are only there where they are asked for. */
const onRequest = new Set(['tiers', 'payments', 'confirmation_secret'])

const branchesOf = (paths: readonly string[]): Map<string, string[]> => {
  const branches = new Map<string, string[]>()
  for (const path of paths) {
    const [first = '', ...rest] = path.split('.')
    branches.set(first, [...(branches.get(first) ?? []), ...(rest.length > 0 ? [rest.join('.')] : [])])
  }
  return branches
}

/** With what `expand` names in full, and without what it would have to name. */
export const expanded = (object: Json, paths: readonly string[], find: (id: string) => Json | undefined): Json => {
  for (const path of paths)
    if (path.split('.').filter((part) => part !== 'data').length > maxLevels)
      refuse(`You cannot expand more than ${maxLevels} levels of a property: ${path}`)
  if (object['deleted'] === true) return object
  const branches = branchesOf(paths)
  for (const name of branches.keys()) if (!(name in object)) refuse(`This property cannot be expanded (${name}).`)
  const inner = (value: unknown, below: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((one) => inner(one, below))
    return isNested(value) ? expanded(value, below, find) : value
  }
  const kept = Object.entries(object).filter(([name]) => branches.has(name) || !onRequest.has(name))
  return Object.fromEntries(
    kept.map(([name, value]) => {
      const below = branches.get(name)
      const whole = below && typeof value === 'string' ? (find(value) ?? value) : value
      return [name, inner(whole, below ?? [])]
    }),
  )
}
