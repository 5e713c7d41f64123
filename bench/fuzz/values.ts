import type { Random } from '@patchbay/server/demo/seeded-random'
import type { Identifiers } from '@patchbay/testkit/api-answers'

/** Values for requests: valid ones for a JSON Schema, and hostile ones in their place. */

type Json = Readonly<Record<string, unknown>>

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Text that parsers, databases, and protocols treat specially. */
const hostileStrings: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e\u200b\ufeff',
  '😀'.repeat(300),
  'x'.repeat(70_000),
  '%',
  '%_\\',
  "' OR 1=1 --",
  '"; DROP TABLE accounts; --',
  '../../../../etc/passwd',
  'file:///etc/passwd',
  'http://127.0.0.1:1/',
  'http://[::1]:1/',
  'https://user:password@nobody.invalid/?q=1#part',
  'sip:user@nobody.invalid;transport=tcp',
  '(a+)+$',
  '[',
  '*',
  '<script>alert(1)</script>',
  '{{7*7}}',
  '=1+1',
  '__proto__',
  'constructor',
  'null',
  '-0',
  '1e309',
  '9223372036854775808',
  '2026-02-30T25:61:61Z',
  '+275760-09-13T00:00:00.001Z',
  '0.0.0.0/33',
  '::ffff:0:0/200',
  '\r\nX-Injected: yes',
]

const hostileNumbers: readonly number[] = [
  -1,
  0,
  -0,
  0.5,
  1e-320,
  65_536,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  2 ** 63,
  2 ** 64,
  1e300,
  -1e300,
]

const nest = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))

/** Returns a value that most fields reject. */
const createHostileValue = (random: Random): unknown =>
  random.pick<() => unknown>([
    () => random.pick(hostileStrings),
    () => random.pick(hostileStrings),
    () => random.pick(hostileNumbers),
    () => random.pick([null, true, false]),
    () => random.pick([[], {}, [null], [[]], [{}], nest(500)]),
    () => JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{}}}') as unknown,
    () => Array.from({ length: 2000 }, () => random.pick(hostileStrings.slice(0, 5))),
  ])()

const formats: Readonly<Record<string, (random: Random) => string>> = {
  uuid: (random) => random.uuid(),
  email: (random) => `${random.hex(8)}@example.org`,
  'date-time': (random) => new Date(random.below(2 ** 31) * 1000).toISOString(),
  uri: (random) => random.pick(['https://nobody.invalid/hook', 'wss://nobody.invalid/hook', 'http://192.0.2.1/']),
}

const plainStrings: readonly string[] = [
  'name',
  '15551230000',
  '+4930123456',
  '192.0.2.7',
  'sip.example.org',
  'https://nobody.invalid/',
  'UTC',
  '2026-11-01T00:00:00Z',
  '1',
  'call-status',
]

const createText = (random: Random, schema: Json): string => {
  const format = formats[String(schema['format'])]
  if (format) return format(random)
  const { maxLength, minLength } = schema as { maxLength?: number; minLength?: number }
  const text = random.roll() < 0.5 ? random.pick(plainStrings) : random.hex(1 + random.below(12))
  if (maxLength !== undefined && random.roll() < 0.1) return 'm'.repeat(maxLength)
  return text.padEnd(minLength ?? 0, 'p').slice(0, maxLength)
}

const createNumber = (random: Random, { minimum, maximum }: { minimum?: number; maximum?: number }): number => {
  const low = Math.max(minimum ?? 0, -1e6)
  const high = Math.min(maximum ?? low + 1000, low + 1e6)
  return random.pick([low, high, low + random.below(Math.max(1, high - low + 1))])
}

/**
 * Returns a function that creates a value for a schema.
 *
 * @param identifiers identifiers that properties of these names often get
 * @param hostility the probability that a property has a hostile value
 */
export const createValueSource = (random: Random, identifiers: Identifiers, hostility: number) => {
  const createArray = ({ items }: Json, root: Json, depth: number): unknown[] =>
    Array.from({ length: random.below(4) }, () => createValue(items, root, depth + 1))

  const createProperty = (name: string, schema: unknown, root: Json, depth: number): unknown => {
    if (random.roll() < hostility) return createHostileValue(random)
    const values = [...(identifiers.get(name) ?? [])]
    return values.length > 0 && random.roll() < 0.7 ? random.pick(values) : createValue(schema, root, depth)
  }

  const createObject = (schema: Json, root: Json, depth: number): object => {
    const required = new Set((schema['required'] ?? []) as string[])
    const entries: [string, unknown][] = Object.entries((schema['properties'] ?? {}) as Json)
      .filter(([name]) => (required.has(name) ? random.roll() > hostility / 2 : random.roll() < 0.5))
      .map(([name, property]) => [name, createProperty(name, property, root, depth + 1)])
    if (random.roll() < hostility) entries.push([random.pick(hostileStrings), createHostileValue(random)])
    return Object.fromEntries(entries)
  }

  const createTyped = (schema: Json, root: Json, depth: number): unknown => {
    const type = Array.isArray(schema['type']) ? random.pick(schema['type'] as unknown[]) : schema['type']
    if (type === 'boolean') return random.roll() < 0.5
    if (type === 'null') return null
    if (type === 'integer' || type === 'number') return createNumber(random, schema)
    if (type === 'array') return createArray(schema, root, depth)
    return type === 'object' ? createObject(schema, root, depth) : createText(random, schema)
  }

  const createValue = (schema: unknown, root: Json, depth = 0): unknown => {
    if (random.roll() < hostility / 3) return createHostileValue(random)
    if (!isJson(schema) || depth > 8) return random.pick(plainStrings)
    const { $ref, $defs } = { $ref: schema['$ref'], $defs: (root['$defs'] ?? {}) as Json }
    if (typeof $ref === 'string') return createValue($defs[$ref.split('/').at(-1) ?? ''] ?? root, root, depth + 1)
    if ('const' in schema) return schema['const']
    if (Array.isArray(schema['enum'])) return random.pick(schema['enum'] as unknown[])
    const choices = schema['anyOf'] ?? schema['oneOf']
    if (Array.isArray(choices)) return createValue(random.pick(choices as unknown[]), root, depth + 1)
    if (!Array.isArray(schema['allOf'])) return createTyped(schema, root, depth)
    const parts = (schema['allOf'] as unknown[]).map((part) => createValue(part, root, depth + 1))
    return Object.assign({}, ...parts)
  }

  return (schema: Json): unknown => createValue(schema, schema)
}

/** Returns a part of an address: mostly well-formed, sometimes with bytes that are no text. */
export const createPathPart = (random: Random): string =>
  random.pick([
    random.uuid(),
    '0',
    'undefined',
    '%00',
    '%ff%fe',
    '%2e%2e%2f%2e%2e',
    encodeURIComponent(random.pick(hostileStrings.slice(0, 7).filter((text) => text.isWellFormed()))),
    'x'.repeat(300),
    ':account_sid',
    '*',
  ])
