/**
 * Validates an array of verbs with specification data in the format of the package that the platform uses, and with its
 * messages (docs/reference/platform-api/applications.md#verbs).
 */

type PropertySpec = string | readonly string[] | { type?: string; enum?: readonly string[] }

export interface VerbSpec {
  properties: Readonly<Record<string, PropertySpec>>
  required?: readonly string[]
}

/** Specifications by the name of a verb or of a nested object. */
export type VerbSpecs = Readonly<Record<string, VerbSpec>>

export type VerbPath = readonly (string | number)[]

export interface VerbError {
  path: VerbPath
  message: string
  /** Name of the verb, if there is no specification for it. */
  unknownVerb?: string
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/**
 * Resolves aliases of verbs. Each `<vendor>_s2s` is an alias of `llm` that implies the property `vendor`, because newer
 * platforms add vendors.
 */
const resolveAlias = (name: string): { verb: string; implied?: string } => {
  if (name === 'stream') return { verb: 'listen' }
  if (name === 's2s') return { verb: 'llm' }
  return /^[a-z\d]+_s2s$/.test(name) ? { verb: 'llm', implied: 'vendor' } : { verb: name }
}

const validateType = (name: string, key: string, spec: PropertySpec, value: unknown): string | undefined => {
  if (typeof spec === 'object') {
    if (Array.isArray(spec)) return undefined
    const { type, enum: allowed } = spec as { type?: string; enum?: readonly string[] }
    // The package contains specifications without a type, and rejects every value for them.
    if (type === undefined) return `invalid or missing type in spec ${JSON.stringify(spec)}`
    return type === 'string' && allowed !== undefined && !allowed.includes(value as string)
      ? `invalid value ${String(value)} must be one of ${allowed.join(',')}`
      : undefined
  }
  if (spec === 'array') return Array.isArray(value) ? undefined : `${name}: property ${key} is not an array`
  const types = spec.split('|').map((type) => type.trim())
  if (types.includes(typeof value) || (types.length > 1 && types.includes('array') && Array.isArray(value)))
    return undefined
  const more = types.length > 1 ? `, must be one of ${types.join(',')}` : ''
  return `${name}: property ${key} has invalid data type${more}`
}

/** Returns the specification that a property refers to, and whether it applies to each item of a list. */
const resolvePart = (spec: PropertySpec | undefined): { part: string; isList: boolean } | undefined => {
  const [first] = Array.isArray(spec) ? (spec as readonly string[]) : []
  if (first?.startsWith('#')) return { part: first.slice(1), isList: true }
  return typeof spec === 'string' && spec.startsWith('#') ? { part: spec.slice(1), isList: false } : undefined
}

const validatePart = (
  specs: VerbSpecs,
  name: string,
  data: unknown,
  path: VerbPath,
  impliedProperty?: string,
): VerbError[] => {
  const spec = Object.hasOwn(specs, name) ? specs[name] : undefined
  if (spec === undefined) return [{ path, message: `invalid instruction: ${name}`, unknownVerb: name }]
  const members = isObject(data) ? data : {}
  const faults = Object.entries(members).flatMap(([key, value]): VerbError[] => {
    const at = [...path, key]
    if (key === 'verb' && path.length === 1) return []
    if (!Object.hasOwn(spec.properties, key))
      return key === '_' ? [] : [{ path: at, message: `${name}: unknown property ${key}` }]
    const property = spec.properties[key] ?? ''
    const inner = resolvePart(property)
    if (inner?.isList)
      return Array.isArray(value)
        ? value.flatMap((item, index) => validatePart(specs, inner.part, item, [...at, index]))
        : [{ path: at, message: `${name}: property ${key} is not an array` }]
    if (inner) return validatePart(specs, inner.part, value, at)
    const message = validateType(name, key, property, value)
    return message === undefined ? [] : [{ path: at, message }]
  })
  const missing = (spec.required ?? []).filter((key) => !Object.hasOwn(members, key) && key !== impliedProperty)
  return missing.length === 0
    ? faults
    : [...faults, { path, message: `${name}: missing value for ${missing.join(',')}` }]
}

/** Returns the name of a verb and the path of its properties: `{"verb":"say",…}` and `{"say":{…}}` are equivalent. */
export const parseVerb = (
  element: Record<string, unknown>,
): { name: string; data: unknown; within: readonly string[] } | undefined => {
  if ('verb' in element) return { name: String(element['verb']), data: element, within: [] }
  const [name, ...more] = Object.keys(element)
  return name === undefined || more.length > 0 ? undefined : { name, data: element[name], within: [name] }
}

/** Returns all errors in the order of the text. */
export const validateVerbs = (specs: VerbSpecs, verbs: unknown): VerbError[] => {
  if (!Array.isArray(verbs)) return [{ path: [], message: 'malformed jambonz payload: must be array' }]
  return verbs.flatMap((element: unknown, index): VerbError[] => {
    if (!isObject(element)) return [{ path: [index], message: 'malformed jambonz payload: must be array of objects' }]
    const verb = parseVerb(element)
    if (verb === undefined) return [{ path: [index], message: 'malformed jambonz payload: missing verb property' }]
    const { verb: name, implied } = resolveAlias(verb.name)
    return validatePart(specs, name, verb.data, [index, ...verb.within], implied)
  })
}

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
export const specAt = (specs: VerbSpecs, verbs: unknown, path: VerbPath): VerbSpec | undefined => {
  const [index, ...inner] = path
  const element: unknown = Array.isArray(verbs) && typeof index === 'number' ? verbs[index] : undefined
  const verb = isObject(element) ? parseVerb(element) : undefined
  if (verb === undefined) return undefined
  const { verb: name } = resolveAlias(verb.name)
  return inner.slice(verb.within.length).reduce<VerbSpec | undefined>((spec, step) => {
    if (typeof step === 'number') return spec
    const part = resolvePart(spec?.properties[step])
    return part && specs[part.part]
  }, specs[name])
}
