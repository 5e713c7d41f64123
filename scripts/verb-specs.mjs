// Writes rules/src/webhooks/verb-specs.json, the specifications of all verbs, from two packages of the platform:
// `npm run verbs`. `@jambonz/schema` describes the verbs of current platforms. The older verbs are in
// `@jambonz/verb-specifications` (docs/decisions/0044-generate-verbs-from-the-packages-of-the-platform.md).
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { repositoryRoot, runOnPinnedNode } from './run/ensure-node.mjs'

const require = createRequire(import.meta.url)

export const file = join(repositoryRoot, 'rules/src/webhooks/verb-specs.json')

const olderSpecs = require('@jambonz/verb-specifications/specs.json')
const { verbTransforms } = require('@jambonz/schema/lib/normalize')
const schemaFolder = dirname(require.resolve('@jambonz/schema/package.json'))

/**
 * Returns the name of the specification of a schema, which for options of a recognizer is the name of the property. The
 * verb `hangup` and the component `hangup`, a tool of language models, are different objects.
 */
const getSpecName = ({ $id }) =>
  $id.endsWith('/components/hangup') ? 'hangupTool' : basename($id).replace(/^recognizer-/, '')

const readSchemas = (kind) =>
  readdirSync(join(schemaFolder, kind))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(schemaFolder, kind, name), 'utf8')))

const unique = (values) => [...new Set(values)]
const isPart = (type) => type.startsWith('#')
const isUndescribed = ({ types }) => types.length === 1 && types[0] === 'object'
const partName = (type) => type.replace(/^#|\[\]$/g, '')

/** The older package lists verbs before their nested objects, which start at `target`, and objects of options. */
const olderVerbs = Object.keys(olderSpecs)
  .slice(0, Object.keys(olderSpecs).indexOf('target'))
  .filter((name) => !/Options$|^(?:ttsStream|bargeIn|fillerNoise|queryInput|mcpServer)$/.test(name))

/** Converts a specification of the older package to a list of types and the allowed strings. */
const parseOlder = (spec) => {
  // The package does not contain the object that one specification refers to.
  if (Array.isArray(spec)) return { types: spec.map((part) => `${partName(part) in olderSpecs ? part : 'object'}[]`) }
  const { type, enum: allowed } = typeof spec === 'string' ? { type: spec } : spec
  // The package contains an enumeration without a type, and one for a list.
  const types = (type ?? 'string').split('|').map((one) => one.trim())
  return { types, allowed: types.includes('string') ? allowed : undefined }
}

/**
 * Merges two lists of types so that a property may have either. An object or a list whose members one of them does not
 * describe is the one that the other describes.
 */
const merge = (one, other) => {
  const types = unique([...one.types, ...other.types])
  const [inOne, inOther] = [one, other].map((form) => form.types.includes('string'))
  const allowed =
    inOne && inOther
      ? one.allowed && other.allowed && unique([...one.allowed, ...other.allowed])
      : (one.allowed ?? other.allowed)
  const describesList = types.some((type) => type.endsWith('[]'))
  const describesObject = types.some((type) => isPart(type) && !type.endsWith('[]'))
  return {
    types: types.filter((type) => !(type === 'array' && describesList) && !(type === 'object' && describesObject)),
    allowed,
  }
}

const toSpec = ({ types, allowed }) => (allowed ? { type: types.join('|'), enum: allowed } : types.join('|'))

/** Returns the names of verbs, the verbs that aliases stand for, and the specifications of verbs and nested objects. */
export const buildVerbSpecs = () => {
  const ownSchemas = readSchemas('verbs').filter((schema) => !verbTransforms.has(getSpecName(schema)))
  const verbSchemas = ownSchemas.filter(({ $ref }) => $ref === undefined)
  const schemas = new Map([...readSchemas('components'), ...verbSchemas].map((schema) => [getSpecName(schema), schema]))
  const verbs = unique([...olderVerbs, ...ownSchemas.map(getSpecName), ...verbTransforms.keys()])
  // Aliases whose names contain a vendor are missing, because newer platforms add vendors. Validation knows their form.
  const aliases = Object.fromEntries(
    [...verbTransforms].filter(([, { properties }]) => !properties).map(([name, { verb }]) => [name, verb]),
  )
  const specs = new Map()
  for (const [name, { properties, required }] of Object.entries(olderSpecs))
    specs.set(name, {
      properties: new Map(Object.entries(properties).map(([key, spec]) => [key, parseOlder(spec)])),
      required,
    })
  const added = new Set()

  const resolve = ($ref, root) => {
    const $id = new URL($ref, root.$id).href
    const name = getSpecName({ $id })
    return $ref.startsWith('#/$defs/')
      ? { name: `${getSpecName(root)}.${name}`, schema: root.$defs[name], root }
      : { name, schema: schemas.get(name), root: schemas.get(name) }
  }

  /** Returns the members and the required members of a schema with those of the schemas that it includes. */
  const collectMembers = (schema, root) => {
    const included = (schema.allOf ?? [])
      .filter(({ $ref }) => $ref)
      .map(({ $ref }) => resolve($ref, root))
      .map((other) => collectMembers(other.schema, other.root))
    return {
      members: [
        ...included.flatMap(({ members }) => members),
        ...Object.entries(schema.properties ?? {}).map(([key, property]) => ({ key, property, root })),
      ],
      required: unique([...included.flatMap(({ required }) => required), ...(schema.required ?? [])]),
    }
  }

  /** Adds the members of an object to its specification. A member is required if both packages require it. */
  const addObject = (name, schema, root) => {
    const { members, required } = collectMembers(schema, root)
    const older = specs.get(name)
    const spec = {
      properties: older?.properties ?? new Map(),
      required: older ? older.required?.filter((key) => required.includes(key)) : required,
    }
    specs.set(name, spec)
    for (const { key, property, root: owner } of members) {
      const present = spec.properties.get(key)
      const parts = present?.types.filter(isPart) ?? []
      const inner = parts.length === 1 ? partName(parts[0]) : `${name}.${key}`
      const form = toForm(property, owner, inner)
      const isNestedVerb = schemas.has(inner)
      // An object that current platforms do not describe is a nested verb of them, or has no required members.
      if (parts.length === 1 && isUndescribed(form) && !isNestedVerb) {
        if (olderVerbs.includes(inner)) present.types = form.types
        else specs.get(inner).required = undefined
      }
      spec.properties.set(key, present ? merge(present, form) : form)
    }
  }

  /** @param inner Name of the specification of an object that the property describes */
  const toForm = (property, root, inner) => {
    const { $ref, oneOf: alternatives, type, enum: allowed, const: value, items, properties } = property
    if ($ref) {
      const other = resolve($ref, root)
      if (other.schema.type !== 'object') return toForm(other.schema, other.root, other.name)
      if (!added.has(other.name)) {
        added.add(other.name)
        addObject(other.name, other.schema, other.root)
      }
      return { types: [`#${other.name}`] }
    }
    if (alternatives) return alternatives.map((one) => toForm(one, root, inner)).reduce(merge)
    if (value !== undefined) return { types: [typeof value], ...(typeof value === 'string' && { allowed: [value] }) }
    if (type === undefined) return { types: ['any'] }
    if (type === 'array')
      return { types: items ? toForm(items, root, inner).types.map((one) => `${one}[]`) : ['array'] }
    if (type === 'object' && properties) {
      addObject(inner, property, root)
      return { types: [`#${inner}`] }
    }
    const types = [type].flat().map((one) => (one === 'integer' ? 'number' : one))
    return { types, allowed: types.includes('string') ? allowed : undefined }
  }

  for (const schema of verbSchemas) toForm({ $ref: schema.$id }, schema)
  for (const schema of ownSchemas.filter(({ $ref }) => $ref))
    specs.set(getSpecName(schema), specs.get(getSpecName({ $id: schema.$ref })))
  // The schemas of aliases name members that only one vendor has. Platforms validate aliases as their verb, which does
  // not describe these members.
  for (const schema of readSchemas('verbs').filter((one) => verbTransforms.has(getSpecName(one)))) {
    const { properties } = specs.get(verbTransforms.get(getSpecName(schema)).verb)
    for (const { key, property } of collectMembers(schema, schema).members) {
      const [part = ''] = properties.get(key)?.types ?? []
      const members = isPart(part) ? specs.get(partName(part)).properties : new Map()
      for (const name of Object.keys(property.properties ?? {}))
        if (!members.has(name)) members.set(name, { types: ['any'] })
    }
  }
  return {
    verbs,
    aliases,
    specs: Object.fromEntries(
      [...specs].map(([name, { properties, required = [] }]) => {
        // Verbs can contain their own name, at each level.
        properties.delete('verb')
        const needed = required.filter((key) => key !== 'verb')
        const members = Object.fromEntries([...properties].map(([key, form]) => [key, toSpec(form)]))
        return [name, { properties: members, ...(needed.length > 0 && { required: needed }) }]
      }),
    ),
  }
}

/** Returns the content of the file, with a line for each specification. */
export const renderVerbSpecs = () => {
  const { verbs, aliases, specs } = buildVerbSpecs()
  const lines = Object.entries(specs).map(([name, spec]) => `    ${JSON.stringify(name)}: ${JSON.stringify(spec)}`)
  const head = `  "verbs": ${JSON.stringify(verbs)},\n  "aliases": ${JSON.stringify(aliases)},\n`
  return `{\n${head}  "specs": {\n${lines.join(',\n')}\n  }\n}\n`
}

await runOnPinnedNode(import.meta.url, () => writeFileSync(file, renderVerbSpecs()))
