/** Environment variables of an application, as its webhook describes them (api/1-identity.md §11.7, §12). */

export interface EnvVariable {
  type: 'string' | 'number' | 'boolean'
  description: string
  required?: boolean | undefined
  default?: string | number | boolean | undefined
  /** the values it may have */
  enum?: unknown[] | undefined
  /** a secret */
  obscure?: boolean | undefined
  /** whatever else it says: `uiHint` is how it is edited, as `input`, `textarea` or `filepicker` */
  [more: string]: unknown
}

/** By name. */
export type AppEnv = Record<string, EnvVariable>

type Members = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isOf =
  (...types: readonly string[]) =>
  (value: unknown): boolean =>
    types.includes(typeof value)

const members: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) => value === 'string' || value === 'number' || value === 'boolean',
  description: isOf('string'),
  required: isOf('boolean', 'undefined'),
  default: isOf('string', 'number', 'boolean', 'undefined'),
  enum: (value) => value === undefined || Array.isArray(value),
  obscure: isOf('boolean', 'undefined'),
}

const isVariable = (value: unknown): boolean =>
  isObject(value) && Object.entries(members).every(([name, isRight]) => isRight(value[name]))

const isName = (name: string): boolean => /^[a-zA-Z0-9_]+$/.test(name) && name !== '__proto__'

/** Whether JSON is a description: at least one variable, each with type and description; it may say more of them. */
export const isAppEnv = (value: unknown): value is AppEnv =>
  isObject(value) &&
  Object.keys(value).length > 0 &&
  Object.entries(value).every(([name, variable]) => isName(name) && isVariable(variable))

export interface EnvError {
  name: string
  fault: 'missing' | 'invalid'
}

/** What is wrong with values, in the order of the description. Values that it does not name are left alone. */
export const validateEnv = (described: AppEnv, values: Members): EnvError[] =>
  Object.entries(described).flatMap(([name, { type, required, enum: allowed }]): EnvError[] => {
    if (!Object.hasOwn(values, name)) return required === true ? [{ name, fault: 'missing' }] : []
    const value = values[name]
    const isRight = typeof value === type && (allowed === undefined || allowed.includes(value))
    return isRight ? [] : [{ name, fault: 'invalid' }]
  })

export type EnvControl = 'checkbox' | 'number' | 'select' | 'secret' | 'file' | 'area' | 'text'

/** How a variable is edited (console facts A.11). */
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
 * The values to store: those that are filled in, and for what nobody has touched what its description has as default.
 * What no description names stays as it is stored, unless it was taken away: then it is undefined.
 */
export const filledEnv = (described: AppEnv, values: Members): Record<string, unknown> => {
  const defaults = Object.entries(described).flatMap(([name, { default: value }]): [string, unknown][] =>
    value === undefined || Object.hasOwn(values, name) ? [] : [[name, value]],
  )
  const isKept = ([name, value]: [string, unknown]) =>
    value !== undefined && (!Object.hasOwn(described, name) || !isEmpty(value))
  const kept = Object.entries(values).filter(isKept)
  return Object.fromEntries([...kept, ...defaults])
}
