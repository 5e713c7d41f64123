import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { isRejected, validateVerbs } from '../rules/src/webhooks/verbs.ts'
import { file, renderVerbSpecs } from './verb-specs.mjs'

const require = createRequire(import.meta.url)
const current = require('@jambonz/schema')
const older = require('@jambonz/verb-specifications')
const { verbTransforms } = require('@jambonz/schema/lib/normalize')
const schemaFolder = dirname(require.resolve('@jambonz/schema/package.json'))

const schemas = new Map(
  ['verbs', 'components'].flatMap((kind) =>
    readdirSync(join(schemaFolder, kind)).map((name) => {
      const schema = JSON.parse(readFileSync(join(schemaFolder, kind, name), 'utf8'))
      return [schema.$id, schema]
    }),
  ),
)

const getPackageError = (validator, verbs) => {
  try {
    validator.validate({ info: () => {} }, structuredClone(verbs))
    return undefined
  } catch (error) {
    return error.message
  }
}

const getOwnErrors = (verbs) => validateVerbs(verbs).filter((error) => isRejected(error, new Set()))

test('the specifications of verbs match the installed packages of the platform', () => {
  expect(readFileSync(file, 'utf8')).toBe(renderVerbSpecs())
})

const verbSchemas = [...schemas.values()].filter(({ $id }) => $id.includes('/verbs/'))

test.each([
  [{}, []],
  [[1], [0]],
  [[{ a: 1, b: 2 }], [0]],
  [[{ verb: 'sing' }], [0]],
  [[{ verb: 'toString' }], [0]],
  [[{ verb: 'say', text: 'hi', colour: 'red' }], [0, 'colour']],
  [[{ verb: 'answer' }, { verb: 'play' }], [1]],
  [[{ play: {} }], [0, 'play']],
  [[{ verb: 'pause', length: '5' }], [0, 'length']],
  [[{ verb: 'dial', target: [{ type: 'phone' }, { type: 'pigeon' }] }], [0, 'target', 1, 'type']],
  [[{ verb: 'dial', target: [{ number: '1' }] }], [0, 'target', 0]],
  [[{ verb: 'gather', say: { tone: 'calm' } }], [0, 'say', 'tone']],
  [[{ verb: 'lex', botId: 1 }], [0, 'botId']],
  [[{ verb: 'stream' }], [0]],
  [[{ verb: 'openai_s2s' }], [0]],
])('%j is invalid at %j, with the message of the older package', (verbs, path) => {
  expect(validateVerbs(verbs)[0]).toMatchObject({ path, message: getPackageError(older, verbs) })
})

test.each([
  [[]],
  [[{ verb: 'say', text: ['a', 'b'], _: { any: 1 } }, { hangup: {} }]],
  [[{ verb: 'dial', target: [{ type: 'phone', number: '1' }] }]],
  [[{ verb: 'openai_s2s', llmOptions: {} }, { s2s: { vendor: 'openai', llmOptions: {} } }]],
  [[{ verb: 'gather', input: ['speech'], recognizer: { vendor: 'google' } }]],
  [[{ verb: 'lex', botId: 'b', botAlias: 'a', region: 'r', credentials: {} }, { rasa: { url: 'https://a.example' } }]],
  [[{ verb: 'listen', url: 'wss://a.example', metadata: null, actionHook: null }]],
])('%j is valid for the older package, and remains valid', (verbs) => {
  expect([validateVerbs(verbs), getPackageError(older, verbs)]).toEqual([[], undefined])
})

test.each(verbSchemas.map((schema) => [basename(schema.$id), schema]))(
  '%s: the examples of the platform are valid',
  (name, { examples = [] }) => {
    const valid = examples.filter((example) => getPackageError(current, [example]) === undefined)
    expect(valid.length > 0 || ['room', 'rest:dial'].includes(name)).toBe(true)
    expect(valid.flatMap((example) => getOwnErrors([example]))).toEqual([])
  },
)

test.each([...verbTransforms])('%s is an alias', (name, { verb, properties }) => {
  const schema = schemas.get(`https://jambonz.org/schema/verbs/${verb}`)
  const data = sample(schema, schema)
  for (const key of Object.keys(properties ?? {})) delete data[key]
  expect(validateVerbs([{ ...data, verb: name }])).toEqual([])
})

const resolve = ($ref, root) => {
  const schema = schemas.get(new URL($ref, root.$id).href)
  return $ref.startsWith('#') ? [root.$defs[basename($ref)], root] : [schema, schema]
}

/** Returns an object schema with the members of the schemas that it includes. */
const flatten = (schema, root) => {
  const included = (schema.allOf ?? []).filter(({ $ref }) => $ref).map(({ $ref }) => flatten(...resolve($ref, root)))
  return {
    members: [
      ...included.flatMap(({ members }) => members),
      ...Object.entries(schema.properties ?? {}).map(([key, property]) => ({ key, property, root })),
    ],
    required: [...included.flatMap(({ required }) => required), ...(schema.required ?? [])],
  }
}

/** Returns a valid value with the required members only. */
const sample = (schema, root) => {
  if (schema.$ref) return sample(...resolve(schema.$ref, root))
  if (schema.oneOf) return sample(schema.oneOf[0], root)
  if ('const' in schema) return schema.const
  if (schema.enum) return schema.enum[0]
  const type = [schema.type].flat()[0]
  if (type === 'array') return [sample(schema.items ?? {}, root)]
  if (type === 'object') {
    const { members, required } = flatten(schema, root)
    return Object.fromEntries(
      members
        .filter(({ key }) => required.includes(key))
        .map((member) => [member.key, sample(member.property, member.root)]),
    )
  }
  return { string: 'x', number: 1, integer: 1, boolean: true }[type] ?? 'x'
}

/** Current platforms do not describe `listen` and `play` within other verbs, and execute them as the verbs. */
const nestedVerb = /^(?:listen|play): missing value for url$/

/** Returns whether the current package misses a member or a type, and not a range, a condition, or a value. */
const concernsTypes = (message) =>
  /\((?:expected|missing:) /.test(message) && !/equal to constant|must match "then"/.test(message)

const wrong = [1, 'x', true, {}, [1], ['x'], [{}]]

/** Yields verbs with each member that a schema describes, at each level, with valid and invalid values. */
function* vary(schema, root, build, seen = []) {
  if (schema.$ref) {
    const [other, owner] = resolve(schema.$ref, root)
    if (!seen.includes(other)) yield* vary(other, owner, build, [...seen, other])
    return
  }
  if (schema.oneOf) for (const one of schema.oneOf) yield* vary(one, root, build, seen)
  if (schema.items) yield* vary(schema.items, root, (item) => build([item]), seen)
  const base = schema.type === 'object' && sample(schema, root)
  if (!base) return
  for (const key of Object.keys(base))
    yield build(Object.fromEntries(Object.entries(base).filter(([name]) => name !== key)))
  for (const { key, property, root: owner } of flatten(schema, root).members) {
    if (key === 'verb') continue
    const buildInner = (value) => build({ ...base, [key]: value })
    yield buildInner(sample(property, owner))
    for (const value of wrong) yield buildInner(value)
    yield* vary(property, owner, buildInner, seen)
  }
}

test.each(verbSchemas.filter(({ $ref }) => !$ref).map((schema) => [basename(schema.$id), schema]))(
  '%s: accepts what the current package accepts, and rejects what both packages reject',
  (name, schema) => {
    const differences = []
    let count = 0
    for (const data of vary(schema, schema, (value) => value)) {
      const verbs = [{ ...data, verb: name }]
      count += 1
      const errors = getOwnErrors(verbs)
      const isCurrent = getPackageError(current, verbs) === undefined
      const accepted = errors.filter(({ message, path }) => path.length === 1 || !nestedVerb.test(message))
      if (isCurrent && accepted.length > 0) differences.push(['rejects', JSON.stringify(data), errors[0].message])
      const isUnusual = !isCurrent && errors.length === 0 && getPackageError(older, verbs) !== undefined
      const message = isUnusual ? getPackageError(current, verbs) : ''
      if (concernsTypes(message)) differences.push(['accepts', JSON.stringify(data), message])
    }
    expect(count).toBeGreaterThan(1)
    expect(differences).toEqual([])
  },
)
