import { type VerbSpecs, specAt, validateVerbs } from '@patchbay/contract/webhooks/verbs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'

/** The editor must report the same errors as the published package, with their positions. */

const require = createRequire(import.meta.url)
const specs = require('@jambonz/verb-specifications/specs.json') as VerbSpecs
const { validate } = require('@jambonz/verb-specifications') as { validate: (log: object, verbs: unknown) => void }

const getPackageError = (verbs: unknown): string | undefined => {
  try {
    validate({ info: () => {} }, verbs)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

test.each<[unknown, (string | number)[]]>([
  [{}, []],
  [[1], [0]],
  [[{ a: 1, b: 2 }], [0]],
  [[{ verb: 'sing' }], [0]],
  [[{ verb: 'toString' }], [0]],
  [[{ verb: 'say', text: 'hi', colour: 'red' }], [0, 'colour']],
  [[{ verb: 'say', text: 5 }], [0, 'text']],
  [[{ verb: 'gather', input: 'speech' }], [0, 'input']],
  [[{ verb: 'answer' }, { verb: 'play' }], [1]],
  [[{ play: {} }], [0, 'play']],
  [[{ verb: 'pause', length: '5' }], [0, 'length']],
  [[{ verb: 'dial', target: [{ type: 'phone' }, { type: 'pigeon' }] }], [0, 'target', 1, 'type']],
  [[{ verb: 'dial', target: [{ number: '1' }] }], [0, 'target', 0]],
  [[{ verb: 'gather', say: { tone: 'calm' } }], [0, 'say', 'tone']],
  [[{ verb: 'noiseIsolationPipeline', direction: 'read' }], [0, 'direction']],
  [[{ verb: 'stream' }], [0]],
  [[{ verb: 'openai_s2s' }], [0]],
])('%j is invalid at %j', (verbs, path) => {
  const [first] = validateVerbs(specs, verbs)
  expect(first).toMatchObject({ path, message: getPackageError(verbs) })
})

test.each([
  [[]],
  [[{ verb: 'say', text: ['a', 'b'], _: { any: 1 } }, { hangup: {} }]],
  [[{ verb: 'dial', target: [{ type: 'phone', number: '1' }] }]],
  [[{ verb: 'openai_s2s', llmOptions: {} }, { s2s: { vendor: 'openai', llmOptions: {} } }]],
  [[{ verb: 'gather', input: ['speech'], recognizer: { vendor: 'google' } }]],
])('%j is valid', (verbs) => {
  expect([validateVerbs(specs, verbs), getPackageError(verbs)]).toEqual([[], undefined])
})

test('validateVerbs returns all errors, not only the first', () => {
  const verbs = [{ verb: 'play', colour: 1 }, { verb: 'sing' }]
  expect(validateVerbs(specs, verbs).map(({ message }) => message)).toEqual([
    'play: unknown property colour',
    'play: missing value for url',
    'invalid instruction: sing',
  ])
})

test('specAt returns the specification for a position', () => {
  const verbs = [{ verb: 'gather', say: {} }, { dial: { target: [{}] } }]
  expect(specAt(specs, verbs, [0])).toBe(specs['gather'])
  expect(specAt(specs, verbs, [0, 'say'])).toBe(specs['say'])
  expect(specAt(specs, verbs, [1, 'dial'])).toBe(specs['dial'])
  expect(specAt(specs, verbs, [1, 'dial', 'target', 0])).toBe(specs['target'])
  expect(specAt(specs, verbs, [2])).toBeUndefined()
})
