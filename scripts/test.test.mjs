import { expect, test } from 'vitest'
import { newlyChanged, readArguments, selectSteps, steps, summary } from './test.mjs'

const selected = (...args) => selectSteps(readArguments(args))

test('all gates run unless some are chosen', () => {
  expect(selected()).toEqual(steps)
  expect(selected('--only', 'unit,lint')).toEqual([['lint'], ['unit']])
  expect(selected('--from', 'build')).toEqual([['build'], ['size'], ['built'], ['e2e']])
  expect(selected('--from', 'dead-code', '--only', 'lint,dead-code,e2e')).toEqual([['dead-code'], ['e2e']])
})

test('words that are no option choose test files, and then no gates', () => {
  expect(readArguments(['users', 'accounts'])).toEqual({ words: ['users', 'accounts'] })
  expect(readArguments(['--only', 'unit'])).toEqual({ words: [], only: 'unit' })
  expect(() => readArguments(['users', '--only', 'unit'])).toThrow('"users" chooses test files')
})

test('an unknown gate is named, with those there are', () => {
  expect(() => selected('--only', 'unit,speed')).toThrow(/"speed".*install, providers/)
  expect(() => selected('--from', 'speed')).toThrow('"speed"')
})

test('an install may change the lock file and nothing else, whatever was edited before it', () => {
  const before = new Map([
    ['edited.ts', 'a'],
    ['edited-again.ts', 'a'],
  ])
  const after = new Map([
    ['edited.ts', 'a'],
    ['edited-again.ts', 'b'],
    ['package-lock.json', 'a'],
    ['biome.json', 'a'],
  ])
  expect(newlyChanged(before, after)).toEqual(['edited-again.ts', 'biome.json'])
})

test('the summary tells passed, failed and never reached apart', () => {
  const results = [
    { gate: 'lint', passed: true, seconds: 1.25 },
    { gate: 'unit', passed: false, seconds: 60 },
  ]
  const [lint, unit, e2e] = summary([['lint'], ['unit'], ['e2e']], results)
  expect(lint).toContain('passed')
  expect(unit).toMatch(/FAILED\s+60\.0 s/)
  expect(e2e).toContain('not run')
})
