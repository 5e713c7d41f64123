import { expect, test } from 'vitest'
import { verbSpecs } from './verb-specs.ts'
import { isRejected, specAt, validateVerbs } from './verbs.ts'

test('validateVerbs returns all errors, not only the first', () => {
  const verbs = [{ verb: 'play', colour: 1 }, { verb: 'sing' }]
  expect(validateVerbs(verbs).map(({ message }) => message)).toEqual([
    'play: unknown property colour',
    'play: missing value for url',
    'invalid instruction: sing',
  ])
})

test('an unknown property and a stored unknown verb do not prevent saving', () => {
  const errors = validateVerbs([{ verb: 'say', text: 1, tune: 1 }, { verb: 'sing' }, { verb: 'dance' }])
  expect(errors.filter((error) => isRejected(error, new Set(['sing']))).map(({ message }) => message)).toEqual([
    'say: property text has invalid data type, must be one of string,array',
    'invalid instruction: dance',
  ])
})

test('specAt returns the specification for a position', () => {
  const verbs = [
    { verb: 'gather', say: {}, actionHook: {} },
    { dial: { target: [{ from: {} }] } },
    { room: {} },
    { verb: 'qwen_s2s' },
  ]
  expect(specAt(verbs, [0])).toBe(verbSpecs['gather'])
  expect(specAt(verbs, [0, 'say'])).toBe(verbSpecs['say'])
  expect(specAt(verbs, [0, 'actionHook'])).toBe(verbSpecs['actionHook'])
  expect(specAt(verbs, [1, 'dial'])).toBe(verbSpecs['dial'])
  expect(specAt(verbs, [1, 'dial', 'target', 0])).toBe(verbSpecs['target'])
  expect(specAt(verbs, [1, 'dial', 'target', 0, 'from'])).toBe(verbSpecs['dialFrom'])
  expect(specAt(verbs, [2, 'room'])).toEqual(verbSpecs['conference'])
  expect(specAt(verbs, [3])).toBe(verbSpecs['llm'])
  expect(specAt(verbs, [0, 'constructor'])).toBeUndefined()
  expect(specAt(verbs, [4])).toBeUndefined()
})
