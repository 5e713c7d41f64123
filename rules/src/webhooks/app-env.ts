/**
 * Environment variables of an application as declared by its webhook
 * (docs/reference/platform-api/applications.md#environment-variables).
 */

export interface EnvVariable {
  type: 'string' | 'number' | 'boolean'
  description: string
  required?: boolean | undefined
  default?: string | number | boolean | undefined
  /** Allowed values. */
  enum?: unknown[] | undefined
  /** True for secrets. */
  obscure?: boolean | undefined
  /** Further members. `uiHint` is the input control: `input`, `textarea`, or `filepicker`. */
  [more: string]: unknown
}

/** Declarations by variable name. */
export type AppEnv = Record<string, EnvVariable>

type Members = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const hasType =
  (...types: readonly string[]) =>
  (value: unknown): boolean =>
    types.includes(typeof value)

const members: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) => value === 'string' || value === 'number' || value === 'boolean',
  description: hasType('string'),
  required: hasType('boolean', 'undefined'),
  default: hasType('string', 'number', 'boolean', 'undefined'),
  enum: (value) => value === undefined || Array.isArray(value),
  obscure: hasType('boolean', 'undefined'),
}

const isVariable = (value: unknown): boolean =>
  isObject(value) && Object.entries(members).every(([name, isRight]) => isRight(value[name]))

const isName = (name: string): boolean => /^[a-zA-Z0-9_]+$/.test(name) && name !== '__proto__'

/**
 * Returns whether a JSON value is a valid declaration: at least one variable, each with type and description. Further
 * members are allowed.
 */
export const isAppEnv = (value: unknown): value is AppEnv =>
  isObject(value) &&
  Object.keys(value).length > 0 &&
  Object.entries(value).every(([name, variable]) => isName(name) && isVariable(variable))

export interface EnvError {
  name: string
  fault: 'missing' | 'invalid'
}

/** Returns missing and invalid values in the order of the declaration. Ignores undeclared values. */
export const validateEnv = (described: AppEnv, values: Members): EnvError[] =>
  Object.entries(described).flatMap(([name, { type, required, enum: allowed }]): EnvError[] => {
    if (!Object.hasOwn(values, name)) return required === true ? [{ name, fault: 'missing' }] : []
    const value = values[name]
    const isRight = typeof value === type && (allowed === undefined || allowed.includes(value))
    return isRight ? [] : [{ name, fault: 'invalid' }]
  })

export type EnvControl = 'checkbox' | 'number' | 'select' | 'secret' | 'file' | 'area' | 'text'

/** Returns the input control of a variable (APPS-22 to APPS-27). */
export const envControl = ({ type, enum: allowed, obscure, uiHint }: EnvVariable): EnvControl => {
  if (type === 'boolean') return 'checkbox'
  if (allowed !== undefined && allowed.length > 0) return 'select'
  if (type === 'number') return 'number'
  if (obscure === true) return 'secret'
  if (uiHint === 'filepicker') return 'file'
  return uiHint === 'textarea' ? 'area' : 'text'
}

const isEmpty = (value: unknown): boolean => value === '' || value === undefined || value === null

/**
 * Returns the values to store: filled values, and the declared default of each variable without a value. Undeclared
 * stored values are kept unless they are undefined, which means removed.
 */
export const toStoredEnv = (described: AppEnv, values: Members): Record<string, unknown> => {
  const defaults = Object.entries(described).flatMap(([name, { default: value }]): [string, unknown][] =>
    value === undefined || Object.hasOwn(values, name) ? [] : [[name, value]],
  )
  const isStored = ([name, value]: [string, unknown]) =>
    value !== undefined && (!Object.hasOwn(described, name) || !isEmpty(value))
  const storedValues = Object.entries(values).filter(isStored)
  return Object.fromEntries([...storedValues, ...defaults])
}
