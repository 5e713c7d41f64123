import { type PropertySpec, type VerbSpec, verbAliases, verbSpecs } from './verb-specs.ts'

/**
 * Validates an array of verbs, with the messages of the package `@jambonz/verb-specifications`
 * (docs/reference/platform-api/applications.md#verbs).
 */

export type VerbPath = readonly (string | number)[]

export interface VerbError {
  path: VerbPath
  message: string
  /** Name of the verb, if there is no specification for it. */
  unknownVerb?: string
  /** Whether the specification does not contain the property. Newer platforms accept such properties. */
  isUnknownProperty?: true
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Returns the text of a value for messages. Lists are not converted, because they can be nested deeply. */
const toText = (value: unknown): string => (Array.isArray(value) ? '[object Array]' : String(value))

const getSpec = (name: string): VerbSpec | undefined => (Object.hasOwn(verbSpecs, name) ? verbSpecs[name] : undefined)

/**
 * Resolves aliases of verbs. Each `<vendor>_s2s` is an alias of `llm` that implies the property `vendor`, because newer
 * platforms add vendors.
 */
const resolveAlias = (name: string): { verb: string; implied?: string } => {
  if (/^[a-z\d]+_s2s$/.test(name)) return { verb: 'llm', implied: 'vendor' }
  return { verb: (Object.hasOwn(verbAliases, name) ? verbAliases[name] : undefined) ?? name }
}

const parseTypes = (spec: PropertySpec): readonly string[] => (typeof spec === 'string' ? spec : spec.type).split('|')

/** Returns the name of a type in messages. */
const typeName = (type: string): string => (type.endsWith('[]') ? 'array' : type.startsWith('#') ? 'object' : type)

/** Returns the name of the nested object that a type of a property or of the items of a list refers to. */
const getPart = (types: readonly string[]): string | undefined => types.find((type) => type.startsWith('#'))?.slice(1)

const itemTypes = (types: readonly string[]): readonly string[] =>
  types.filter((type) => type.endsWith('[]')).map((type) => type.slice(0, -2))

/** Validates a value against a union of types. `name` and `key` locate it in messages. */
const validateValue = (
  name: string,
  key: string,
  types: readonly string[],
  value: unknown,
  path: VerbPath,
): VerbError[] => {
  const invalid = (details: string): VerbError[] => [{ path, message: `${name}: property ${key} ${details}` }]
  const items = itemTypes(types)
  if (items.length > 0 && Array.isArray(value))
    return value.flatMap((item: unknown, index) => validateValue(name, key, items, item, [...path, index]))
  const names = [...new Set(types.map(typeName))]
  if (names.join('') === 'array') return Array.isArray(value) ? [] : invalid('is not an array')
  const part = getPart(types.filter((type) => !type.endsWith('[]')))
  // An alternative to a text, such as a webhook, may be null. The platform's older package accepts it.
  if (part !== undefined && typeof value === 'object' && !Array.isArray(value))
    return value === null && types.length > 1 ? [] : validatePart(part, value, path)
  const isValid = types.includes('any') || names.includes(Array.isArray(value) ? 'array' : typeof value)
  return isValid ? [] : invalid(`has invalid data type${names.length > 1 ? `, must be one of ${names.join(',')}` : ''}`)
}

const validateProperty = (
  name: string,
  key: string,
  spec: PropertySpec,
  value: unknown,
  path: VerbPath,
): VerbError[] => {
  const types = parseTypes(spec)
  const isListed = typeof spec === 'string' || spec.enum.includes(value as string)
  // A text is the only type with allowed values.
  if (!isListed && (types.length === 1 || typeof value === 'string'))
    return [{ path, message: `invalid value ${toText(value)} must be one of ${spec.enum.join(',')}` }]
  return validateValue(name, key, types, value, path)
}

const validatePart = (name: string, data: unknown, path: VerbPath, impliedProperty?: string): VerbError[] => {
  const spec = getSpec(name)
  if (spec === undefined) return [{ path, message: `invalid instruction: ${name}`, unknownVerb: name }]
  const members = isObject(data) ? data : {}
  const errors = Object.entries(members).flatMap(([key, value]): VerbError[] => {
    // A nested verb may contain its name, too, and `_` carries data of the platform.
    if (key === 'verb' || key === '_') return []
    const property = Object.hasOwn(spec.properties, key) ? spec.properties[key] : undefined
    return property === undefined
      ? [{ path: [...path, key], message: `${name}: unknown property ${key}`, isUnknownProperty: true }]
      : validateProperty(name, key, property, value, [...path, key])
  })
  const missing = (spec.required ?? []).filter((key) => !Object.hasOwn(members, key) && key !== impliedProperty)
  return missing.length === 0
    ? errors
    : [...errors, { path, message: `${name}: missing value for ${missing.join(',')}` }]
}

/** Returns the name of a verb and the path of its properties: `{"verb":"say",…}` and `{"say":{…}}` are equivalent. */
export const parseVerb = (
  element: Record<string, unknown>,
): { name: string; data: unknown; within: readonly string[] } | undefined => {
  if ('verb' in element) return { name: toText(element['verb']), data: element, within: [] }
  const [name, ...more] = Object.keys(element)
  return name === undefined || more.length > 0 ? undefined : { name, data: element[name], within: [name] }
}

/** Returns all errors in the order of the text. */
export const validateVerbs = (verbs: unknown): VerbError[] => {
  if (!Array.isArray(verbs)) return [{ path: [], message: 'malformed jambonz payload: must be array' }]
  return verbs.flatMap((element: unknown, index): VerbError[] => {
    if (!isObject(element)) return [{ path: [index], message: 'malformed jambonz payload: must be array of objects' }]
    const verb = parseVerb(element)
    if (verb === undefined) return [{ path: [index], message: 'malformed jambonz payload: missing verb property' }]
    const { verb: name, implied } = resolveAlias(verb.name)
    return validatePart(name, verb.data, [index, ...verb.within], implied)
  })
}

/**
 * Returns whether an error prevents saving. Verbs that are stored already and unknown properties do not, because a newer
 * platform may know them.
 */
export const isRejected = ({ unknownVerb, isUnknownProperty }: VerbError, storedVerbs: ReadonlySet<string>): boolean =>
  !isUnknownProperty && (unknownVerb === undefined || !storedVerbs.has(unknownVerb))

/** Returns the names of the verbs in order. Skips elements without a name. */
export const verbNames = (verbs: readonly unknown[]): string[] =>
  verbs.flatMap((element) => (isObject(element) ? (parseVerb(element)?.name ?? []) : []))

/** Returns the names of the verbs in a stored JSON text, or an empty set if the text is not a list of verbs. */
export const parseVerbNames = (text: string): ReadonlySet<string> => {
  try {
    const verbs: unknown = JSON.parse(text)
    return new Set(Array.isArray(verbs) ? verbNames(verbs) : [])
  } catch {
    return new Set()
  }
}

/** Returns the specification of the object at a path, or undefined if the verbs do not determine it. */
export const specAt = (verbs: unknown, path: VerbPath): VerbSpec | undefined => {
  const [index, ...inner] = path
  const element: unknown = Array.isArray(verbs) && typeof index === 'number' ? verbs[index] : undefined
  const verb = isObject(element) ? parseVerb(element) : undefined
  if (verb === undefined) return undefined
  const { verb: name } = resolveAlias(verb.name)
  return inner.slice(verb.within.length).reduce<VerbSpec | undefined>((spec, step) => {
    if (typeof step === 'number') return spec
    const property = spec && Object.hasOwn(spec.properties, step) ? spec.properties[step] : undefined
    const types = property === undefined ? [] : parseTypes(property)
    const part = getPart(types)?.replace(/\[\]$/, '')
    return part === undefined ? undefined : getSpec(part)
  }, getSpec(name))
}
