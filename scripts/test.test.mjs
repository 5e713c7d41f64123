import { expect, test } from 'vitest'
import { newlyChanged, readArguments, selectSteps, steps, summary } from './test.mjs'

const selected = (...args) => selectSteps(readArguments(args))

test('runs all gates unless some are selected', () => {
  expect(selected()).toEqual(steps)
  expect(selected('--only', 'unit,lint')).toEqual([['lint'], ['unit']])
  expect(selected('--from', 'build')).toEqual([['build'], ['size'], ['built'], ['e2e']])
  expect(selected('--from', 'dead-code', '--only', 'lint,dead-code,e2e')).toEqual([['dead-code'], ['e2e']])
})

test('treats positional words as test files, and then rejects gate options', () => {
  expect(readArguments(['users', 'accounts'])).toEqual({ names: ['users', 'accounts'] })
  expect(readArguments(['--only', 'unit'])).toEqual({ names: [], only: 'unit' })
  expect(() => readArguments(['users', '--only', 'unit'])).toThrow('"users" chooses test files')
})

test('lists the gates if one is unknown', () => {
  expect(() => selected('--only', 'unit,speed')).toThrow(/"speed".*install, providers/)
  expect(() => selected('--from', 'speed')).toThrow('"speed"')
})

test('allows an installation to change only the lock file, whatever was edited before', () => {
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

test('distinguishes passed, failed, and unreached gates in the summary', () => {
  const results = [
    { gate: 'lint', passed: true, seconds: 1.25 },
    { gate: 'unit', passed: false, seconds: 60 },
  ]
  const [lint, unit, e2e] = summary([['lint'], ['unit'], ['e2e']], results)
  expect(lint).toContain('passed')
  expect(unit).toMatch(/FAILED\s+60\.0 s/)
  expect(e2e).toContain('not run')
})
